// Texts to vectors: pieces of words, windows of them, the model.
import { WorkTurns } from '../../../process/work-turns.ts'
import type { SentenceModel } from './sentence-model.ts'
import { sentenceNumbers } from './sentence-weights.ts'
import { cutWindows } from './windows.ts'
import { WordPieces } from './word-pieces.ts'

export class SentenceEncoder {
  readonly #model: SentenceModel
  readonly #words: WordPieces
  readonly #turns: WorkTurns

  constructor(model: SentenceModel, turns = new WorkTurns()) {
    this.#model = model
    this.#words = new WordPieces(model.vocabulary)
    this.#turns = turns
  }

  /**
   * 512 numbers for each text, one after the other. Each is the sum over its windows, weighed by their pieces: sums of
   * several parts of a text can be added up, and brought to length 1 at the end.
   */
  async encode(texts: readonly string[], signal: AbortSignal, isBackground = false): Promise<Float32Array> {
    const sums = new Float32Array(texts.length * sentenceNumbers)
    const windows = cutWindows(texts, this.#words)
    const work = this.#turns.next(isBackground)
    for (const [done, { text, pieces }] of windows.entries()) {
      const numbers = await this.#turns.slice(work, windows.length - done, () => {
        signal.throwIfAborted()
        return this.#model.run(pieces)
      })
      const to = text * sentenceNumbers
      for (const [at, number] of numbers.entries()) sums[to + at] = (sums[to + at] ?? 0) + number * pieces.length
    }
    return sums
  }
}
