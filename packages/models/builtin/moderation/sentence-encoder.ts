// Texts to vectors of length 1, by the Universal Sentence Encoder. Used where the model runs and where it is trained.
import type { WorkTurns } from '../../process/work-turns.ts'
import { SentenceEncoder as Encoder } from './sentences/sentence-encoder.ts'
import { loadSentenceModel } from './sentences/sentence-model.ts'
import { sentenceNumbers } from './sentences/sentence-weights.ts'

export const embeddingSize = sentenceNumbers

export interface SentenceEncoder {
  /** One vector per text, in their order; a blank text has zeros alone. */
  encode(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
}

export async function loadSentenceEncoder(turns?: WorkTurns): Promise<SentenceEncoder> {
  const encoder = new Encoder(await loadSentenceModel(), turns)
  return {
    async encode(texts, signal) {
      const sums = await encoder.encode(texts, signal)
      return texts.map((_, at) => toLength1(sums.subarray(at * embeddingSize, (at + 1) * embeddingSize)))
    },
  }
}

function toLength1(sum: Float32Array): Float32Array {
  const length = Math.hypot(...sum)
  return length === 0 ? sum.slice() : sum.map((value) => value / length)
}
