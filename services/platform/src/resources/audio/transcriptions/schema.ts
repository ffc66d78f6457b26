import { z } from 'zod'

const mebibyte = 1024 * 1024
export const maxAudioBytes = 25 * mebibyte
const maxModelLetters = 256
const maxPromptLetters = 8_192

export const transcriptFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

/** A form has texts alone. */
const Temperature = z
  .string()
  .regex(/^(0|1|0?\.\d+|[01]\.\d+)$/, 'expected a number from 0 to 1.')
  .transform(Number)
  .pipe(z.number().min(0).max(1))
  .meta({ expects: 'a number from 0 to 1' })

const fields = {
  model: z.string().min(1).max(maxModelLetters),
  prompt: z.string().max(maxPromptLetters).optional(),
  response_format: z.enum(transcriptFormats).default('json'),
  temperature: Temperature.optional(),
}

const Granularity = z.enum(['word', 'segment'])

// INF-103
export const CreateTranscriptionFields = z.strictObject({
  ...fields,
  language: z.string().min(1).max(32).optional(),
  timestamp_granularities: z
    .union([Granularity.transform((one) => [one]), z.array(Granularity).min(1).max(2)])
    .optional(),
})
export type CreateTranscription = z.infer<typeof CreateTranscriptionFields>

// INF-106
export const CreateTranslationFields = z.strictObject(fields)
export type CreateTranslation = z.infer<typeof CreateTranslationFields>

// INF-105
const Segment = z.object({
  id: z.int(),
  seek: z.int(),
  start: z.number(),
  end: z.number(),
  text: z.string(),
  tokens: z.array(z.int()),
  temperature: z.number(),
  avg_logprob: z.number(),
  compression_ratio: z.number(),
  no_speech_prob: z.number(),
})

const Word = z.object({ word: z.string(), start: z.number(), end: z.number() })

// INF-104
export const Transcript = z.object({
  task: z.enum(['transcribe', 'translate']).optional(),
  language: z.string().optional(),
  duration: z.number().optional(),
  text: z.string(),
  words: z.array(Word).optional(),
  segments: z.array(Segment).optional(),
})
export type Transcript = z.infer<typeof Transcript>
