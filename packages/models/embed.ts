// The embeddings port.
import type { Call } from './call.ts'

export interface EmbedRequest {
  /** Texts, or tokens of the model's public tokenizer. */
  inputs: readonly (string | readonly number[])[]
  /** Fewer numbers than the model gives by itself: cut and brought back to length 1. */
  dimensions: number | undefined
  user: string | undefined
}

export interface EmbedAnswer {
  model: string
  /** One per input, in their order. */
  vectors: Float32Array[]
  promptTokens: number
  /** Which model made them: vectors of different ones cannot be compared. Absent: nobody can tell. */
  edition?: string
  /** What a likeness of these vectors counts beside one by words, where that is known. */
  meaningWeight?: number
}

export interface EmbeddingModel {
  /** That of its answers. */
  readonly edition?: string
  embed(request: EmbedRequest, call: Call): Promise<EmbedAnswer>
}
