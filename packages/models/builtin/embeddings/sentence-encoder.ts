// Texts to vectors: pieces of words, windows of them, the model.
import { setImmediate } from 'node:timers/promises'
import { type SentenceModel, sentenceNumbers } from './sentence-model.ts'
import { batchWindows, cutWindows } from './windows.ts'
import { WordPieces } from './word-pieces.ts'

export class SentenceEncoder {
  readonly #model: SentenceModel
  readonly #words: WordPieces

  constructor(model: SentenceModel) {
    this.#model = model
    this.#words = new WordPieces(model.vocabulary)
  }

  /**
   * 512 numbers for each text, one after the other. Each is the sum over its windows, weighed by their pieces: sums of
   * several parts of a text can be added up, and brought to length 1 at the end.
   */
  async encode(texts: readonly string[], signal: AbortSignal): Promise<Float32Array> {
    const sums = new Float32Array(texts.length * sentenceNumbers)
    for (const batch of batchWindows(cutWindows(texts, this.#words))) {
      // Lets the message in that says stop.
      await setImmediate()
      signal.throwIfAborted()
      const rows = await this.#model.run(batch.map(({ pieces }) => pieces))
      for (const [index, { text, pieces }] of batch.entries()) {
        const from = index * sentenceNumbers
        const to = text * sentenceNumbers
        for (let at = 0; at < sentenceNumbers; at++) {
          sums[to + at] = (sums[to + at] ?? 0) + (rows[from + at] ?? 0) * pieces.length
        }
      }
    }
    return sums
  }
}
