// What the server and the transcription model's process say to one another. The process keeps nothing between
// questions: whoever listens carries the state along.
export interface HearingState {
  /** Of the network. */
  state: Float32Array
  /** The last samples before the next frame. */
  context: Float32Array
}

export interface WriteDownQuestion {
  ask: 'write-down'
  /** Numbers from -1 to 1, 16,000 a second. */
  samples: Float32Array
  /** 0: the likeliest word each time. */
  temperature: number
  /** Words the speaker likely uses, spelt as they should be. */
  vocabulary: string
}

export type TranscriptionQuestion =
  | { ask: 'hear'; samples: Float32Array; hearing: HearingState | undefined }
  | WriteDownQuestion
  | { ask: 'warm' }

export interface WrittenDown {
  text: string
  tokens: number[]
  /** Of each token, and of the end. */
  logprobs: number[]
  temperature: number
}

export type TranscriptionAnswered =
  | { heard: { probabilities: number[]; hearing: HearingState } }
  | { written: WrittenDown }
  | { warm: true }
