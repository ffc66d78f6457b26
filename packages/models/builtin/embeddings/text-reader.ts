// Texts to sums of their pieces' vectors and to numbers of tokens, a slice at a time: whoever reads may pause in between.
import { PieceVectors } from './piece-vectors.ts'
import { isSecondHalf, PublicTokens } from './public-tokens.ts'
import type { EncoderTables } from './tables.ts'
import { WordPieces } from './word-pieces.ts'

export const maxInputTokens = 8192 // INF-222
/** Some hundred microseconds' worth. */
const sliceLetters = 1_024
/** How far back a slice is cut to end with a whole word. */
const maxBackLetters = 256

export interface ReadText {
  /** Not brought to length 1. */
  sum: Float32Array
  /** Of a text with more than twice the most tokens they are not counted to the end, and the sum lacks what follows. */
  tokens: number
}

export class TextReader {
  readonly #words: WordPieces
  readonly #vectors: PieceVectors
  readonly #tokens: PublicTokens

  constructor({ tree, vectors, tokens }: EncoderTables) {
    this.#words = new WordPieces(tree)
    this.#vectors = new PieceVectors(vectors)
    this.#tokens = new PublicTokens(tokens)
  }

  /** All at once, for a short text. */
  read(text: string): ReadText {
    const steps = this.steps(text)
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
    }
  }

  /** A slice with each step; the text's slices depend on nothing but the text. */
  *steps(text: string): Generator<undefined, ReadText> {
    const read = { sum: new Float32Array(this.#vectors.numbers), tokens: 0 }
    for (const more of this.#tokens.counts(text)) {
      read.tokens += more
      if (read.tokens > 2 * maxInputTokens) return read
      yield
    }
    // Nothing is made of a text that is too long.
    if (read.tokens > maxInputTokens) return read
    let pieces = 0
    for (let from = 0; from < text.length; ) {
      const to = endOfSlice(text, from)
      const cut = this.#words.cut(text.slice(from, to))
      this.#vectors.add(cut, read.sum)
      pieces += cut.length
      from = to
      yield
    }
    if (pieces === 0) this.#vectors.addUnknown(read.sum)
    return read
  }

  decode(tokens: readonly number[]): string {
    return this.#tokens.decode(tokens)
  }
}

function endOfSlice(text: string, from: number): number {
  const limit = from + sliceLetters
  if (limit >= text.length) return text.length
  for (let at = limit; at > limit - maxBackLetters; at--) if (/\s/.test(text.charAt(at))) return at
  return isSecondHalf(text, limit) ? limit - 1 : limit
}
