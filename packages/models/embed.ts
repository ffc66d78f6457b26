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
}

export interface EmbeddingModel {
  embed(request: EmbedRequest, call: Call): Promise<EmbedAnswer>
}
