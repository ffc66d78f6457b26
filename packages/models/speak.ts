// The speech port: text as spoken words.
import type { Call } from './call.ts'

export const voices = [
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
export type Voice = (typeof voices)[number]

/** `pcm`: 16-bit samples, least byte first, 24,000 a second, mono, and nothing around them. */
export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
export type SpeechFormat = (typeof speechFormats)[number]

export interface SpeakRequest {
  text: string
  voice: Voice
  format: SpeechFormat
  /** From 0.25 to 4; 1 is as people speak. */
  speed: number
  /** Gets the length of each piece that was spoken, of models that can tell it. */
  onSpoken?: ((ms: number) => void) | undefined
}

export interface SpeechModel {
  /** The file's bytes, as they are made: the first before the last sentence is spoken. */
  speak(request: SpeakRequest, call: Call): AsyncIterable<Uint8Array>
  /** Gets ready to speak soon. */
  warm?(call: Call): Promise<void>
}
