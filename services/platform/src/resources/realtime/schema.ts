// What a realtime session is told of itself, in the words of 2024; a later dialect is brought into these first.
import { z } from 'zod'

const maxTextLetters = 4_000_000
const maxTools = 128
const maxPaddingMs = 10_000
const maxAnswerTokens = 4_096

export const audioFormats = ['pcm16', 'g711_ulaw', 'g711_alaw'] as const
export const voiceNames = [
  'alloy',
  'ash',
  'ballad',
  'coral',
  'echo',
  'fable',
  'onyx',
  'nova',
  'sage',
  'shimmer',
  'verse',
] as const

export const Text = z.string().max(maxTextLetters)
export const FunctionName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-zA-Z0-9_-]+$/, 'a name has letters, digits, _ and - alone')

const Modalities = z
  .array(z.enum(['text', 'audio']))
  .min(1)
  .max(2)
  .refine((list) => list.includes('text') && new Set(list).size === list.length, {
    error: "supported combinations are ['text'] and ['text', 'audio'].",
  })

const ServerVad = z.strictObject({
  type: z.literal('server_vad'),
  threshold: z.number().min(0).max(1).default(0.5),
  prefix_padding_ms: z.int().min(0).max(maxPaddingMs).default(300),
  silence_duration_ms: z.int().min(0).max(maxPaddingMs).default(500),
  create_response: z.boolean().default(true),
  interrupt_response: z.boolean().default(true),
})

/** Later clients ask for it by themselves. A turn ends by silence here too; eagerness says how long that is. */
const SemanticVad = z.strictObject({
  type: z.literal('semantic_vad'),
  eagerness: z.enum(['low', 'medium', 'high', 'auto']).default('auto'),
  create_response: z.boolean().default(true),
  interrupt_response: z.boolean().default(true),
})

export const TurnDetection = z.discriminatedUnion('type', [ServerVad, SemanticVad])
export type TurnDetection = z.output<typeof TurnDetection>

const Tools = z
  .array(
    z.strictObject({
      type: z.literal('function'),
      name: FunctionName,
      description: Text.optional(),
      parameters: z.record(z.string(), z.unknown()).optional(),
    }),
  )
  .max(maxTools)

const ToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.strictObject({ type: z.literal('function'), name: FunctionName }),
])

const Transcription = z.strictObject({
  model: z.string().min(1).max(256).default('whisper-1'),
  language: z.string().min(2).max(16).optional(),
  prompt: Text.optional(),
})

export const MaxTokens = z.union([z.int().min(1).max(maxAnswerTokens), z.literal('inf')])

/** Speech is answered, or only written down. */
export const sessionKinds = ['conversation', 'transcription'] as const
export type SessionKind = (typeof sessionKinds)[number]

/** All that a session is told; each update changes what it names. */
export const SessionFields = z.strictObject({
  modalities: Modalities,
  instructions: Text,
  voice: z.enum(voiceNames),
  input_audio_format: z.enum(audioFormats),
  output_audio_format: z.enum(audioFormats),
  input_audio_transcription: Transcription.nullable(),
  turn_detection: TurnDetection.nullable(),
  tools: Tools,
  tool_choice: ToolChoice,
  temperature: z.number().min(0.6).max(1.2),
  max_response_output_tokens: MaxTokens,
  /** How fast the voice speaks. */
  speed: z.number().min(0.25).max(1.5),
  /** Of a conversation longer than the model's context: the oldest goes, or the response fails. */
  truncation: z.enum(['auto', 'disabled']),
})
export type SessionFields = z.output<typeof SessionFields>

export const SessionUpdate = SessionFields.partial().extend({
  /** A session keeps its model: naming it again changes nothing. */
  model: z.string().min(1).max(256).optional(),
})
export type SessionUpdate = z.output<typeof SessionUpdate>
