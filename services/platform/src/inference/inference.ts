// How a resource uses a model: find it by its public id, take the project's share of the limits, work, write down
// what was used.
import type { Runtime } from '@atoll/models/runtime'
import type { ProjectCaller } from '../callers.ts'
import type { imageSources } from './usage/event.ts'

export type Port = Exclude<keyof Runtime, 'close' | 'load' | 'residence' | 'training'>

export interface UsedModel<P extends Port> {
  /** The public id it was asked by; in the usage event. */
  id: string
  port: NonNullable<Runtime[P]>
  /** Ids of the models that hear and speak for it. */
  voice?: { transcription: string; speech: string } | undefined
}

export type Operation =
  | 'chat'
  | 'completions'
  | 'embeddings'
  | 'moderations'
  | 'audio_transcriptions'
  | 'audio_speeches'
  | 'images'

export interface UsedTokens {
  /** What really answered. */
  model: string
  input: number
  /** Of the input, found in the cache. */
  cachedInput: number
  output: number
  /** What is not counted in tokens. */
  images?: { count: number; size: string; source: (typeof imageSources)[number] }
  characters?: number
  audioMs?: number
}

/** A call that has been let in. Exactly one of `finish` and `abandon` ends it; calling again does nothing. */
export interface MeteredCall {
  /** Where the project stands after this call was let in: for the response. */
  headers: Record<string, string>
  /** Durable against the death of this process once it returns. Also for calls whose client left half-way. */
  finish(used: UsedTokens): void
  /** Nothing was produced: what was taken from the token limit is given back, and no usage is written. */
  abandon(): void
}

export interface CallDemand {
  operation: Operation
  /** The most the call is likely to use; the difference is settled at its end. */
  tokens: number
  images?: number
  batch?: boolean
}

export interface ModelCheck {
  /** Throws as `resolve` does for what the configuration tells, and asks no runtime. */
  check(caller: ProjectCaller, id: string, port: Port, endpoint?: string): Promise<void>
}

export interface Inference {
  /**
   * Throws 404 for an unknown id, 400 or 404 when the model is not one for this port; then it names `endpoint`, or the
   * one that is the port's own.
   */
  resolve<P extends Port>(caller: ProjectCaller, id: string, port: P, endpoint?: string): Promise<UsedModel<P>>
  /** Throws 429. */
  meter(caller: ProjectCaller, model: { id: string }, demand: CallDemand): Promise<MeteredCall>
}
