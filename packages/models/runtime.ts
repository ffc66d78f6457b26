// A runtime runs one model, or stands for a server that does. It offers the ports its model has.
import type { ChatModel } from './chat.ts'
import type { DrawingModel } from './draw.ts'
import type { EmbeddingModel } from './embed.ts'
import type { ModerationModel } from './moderate.ts'
import type { SpeechModel } from './speak.ts'
import type { TextModel } from './text.ts'
import type { TrainingServer } from './train.ts'
import type { TranscriptionModel } from './transcribe.ts'

/** Places in use, and calls that wait for one. */
export interface RuntimeLoad {
  running: number
  waiting: number
  /** In memory, ready to answer. */
  isLoaded: boolean
}

export interface Runtime {
  chat?: ChatModel
  text?: TextModel
  embeddings?: EmbeddingModel
  moderation?: ModerationModel
  transcription?: TranscriptionModel
  speech?: SpeechModel
  drawing?: DrawingModel
  training?: TrainingServer
  /** How busy it is, where it can tell. */
  load?(): RuntimeLoad
  /** Loads its model before the first call does, and unloads it unless it is in use: false when it is. */
  residence?: { enter(): Promise<void>; leave(): Promise<boolean> }
  /** Stops what runs and frees everything. */
  close(): Promise<void>
}
