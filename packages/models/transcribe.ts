// The transcription port: spoken words as text, and where in a sound somebody speaks.
import type { Call } from './call.ts'

/** An encoded sound. It can be opened again: an upstream that failed is asked a second time. */
export interface AudioFile {
  /** With the ending that tells its format: speech.mp3. */
  name: string
  open(): AsyncIterable<Uint8Array>
}

export interface TranscribeRequest {
  audio: AudioFile
  /** `translate`: into English. */
  task: 'transcribe' | 'translate'
  /** ISO 639-1. */
  language: string | undefined
  prompt: string | undefined
  temperature: number | undefined
  /** Whether each word's time is wanted. */
  words: boolean
}

export interface SpokenWord {
  word: string
  /** Seconds from the beginning of the sound. */
  start: number
  end: number
}

export interface SpokenSegment {
  /** Seconds from the beginning of the sound. */
  start: number
  end: number
  text: string
  tokens: number[]
  temperature: number
  avgLogprob: number
  compressionRatio: number
  noSpeechProb: number
  words?: SpokenWord[]
}

/** Segments come as they are understood; `end` is the last. */
export type TranscriptEvent =
  | { kind: 'segment'; segment: SpokenSegment }
  | { kind: 'end'; language: string; seconds: number }

export interface SpeechFrame {
  /** From 0 to 1: how likely somebody speaks in it. */
  probability: number
}

/** Listens to one sound as it arrives. */
export interface SpeechListener {
  /** 16-bit samples, 16,000 a second, mono; any number of them. One answer for each 512 samples that are complete by now. */
  hear(samples: Int16Array): Promise<SpeechFrame[]>
  close(): void
}

export interface TranscriptionModel {
  transcribe(request: TranscribeRequest, call: Call): AsyncIterable<TranscriptEvent>
  /** Absent: it cannot tell speech from silence while a sound arrives. */
  listen?(call: Call): SpeechListener
  /** Gets ready to listen soon. */
  warm?(call: Call): Promise<void>
}
