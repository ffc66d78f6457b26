import { z } from 'zod'

const maxInputLetters = 4_096
const maxModelLetters = 256

const voices = ['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'onyx', 'nova', 'sage', 'shimmer', 'verse'] as const
const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const

const noEvents = "the sound is sent as it is spoken, without events around it: leave it out, or say 'audio'."
const noInstructions = 'the voices of this server have one way to speak: leave it out.'

// INF-102
export const CreateSpeech = z.strictObject({
  model: z.string().min(1).max(maxModelLetters),
  input: z.string().min(1).max(maxInputLetters),
  voice: z.enum(voices),
  response_format: z.enum(formats).default('mp3'),
  speed: z.number().min(0.25).max(4).default(1),
  // What came after December 2024.
  stream_format: z
    .enum(['audio', 'sse'])
    .refine((wanted) => wanted === 'audio', noEvents)
    .optional(),
  instructions: z
    .string()
    .refine(() => false, noInstructions)
    .optional(),
})
export type CreateSpeech = z.infer<typeof CreateSpeech>
