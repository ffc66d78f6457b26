// What the server and the synthesizer's process say to one another. One text is one job: its phrases come one by one,
// since an encoder goes on from one to the next.
import type { SpeechFormat, Voice } from '../../speak.ts'

/** There is no encoder for AAC that may be shipped with Atoll. */
export type WrittenFormat = Exclude<SpeechFormat, 'aac'>

export interface SayQuestion {
  ask: 'say'
  job: string
  phrase: string
  voice: Voice
  speed: number
  format: WrittenFormat
  isLast: boolean
}

export type SpeechQuestion = SayQuestion | { ask: 'forget'; job: string } | { ask: 'warm' }

/** The file's next bytes, and how long what was said sounds. */
export interface SpeechAnswered {
  bytes: Uint8Array
  ms: number
}
