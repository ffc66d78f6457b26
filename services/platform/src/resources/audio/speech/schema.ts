import { z } from 'zod'

const maxInputLetters = 4_096
const maxModelLetters = 256

const voices = ['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'onyx', 'nova', 'sage', 'shimmer', 'verse'] as const
const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const

// INF-102
export const CreateSpeech = z.strictObject({
  model: z.string().min(1).max(maxModelLetters),
  input: z.string().min(1).max(maxInputLetters),
  voice: z.enum(voices),
  response_format: z.enum(formats).default('mp3'),
  speed: z.number().min(0.25).max(4).default(1),
})
export type CreateSpeech = z.infer<typeof CreateSpeech>
