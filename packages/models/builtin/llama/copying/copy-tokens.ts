// A model's tokens by their bytes, to find those that go on as a text does.
import type { Vocabulary } from '../vocabulary.ts'

const longestToken = 24
/** Before digits a space is a token of its own; elsewhere it is part of the next word's. */
const spaceBeforeWord = /^ \D/

type Words = Pick<Vocabulary, 'size' | 'bytesOf' | 'isByte'>

export class CopyTokens {
  readonly #vocabulary: Words
  #known: Map<string, number> | undefined

  constructor(vocabulary: Words) {
    this.#vocabulary = vocabulary
  }

  /** Those that the text begins with. */
  *beginning(text: string): Generator<number> {
    const least = spaceBeforeWord.test(text) ? 2 : 1
    for (let length = least; length <= Math.min(longestToken, text.length); length++) {
      const token = this.#byBytes.get(text.slice(0, length))
      if (token !== undefined) yield token
    }
  }

  /** Made with the first use: few answers have a form. */
  get #byBytes(): ReadonlyMap<string, number> {
    this.#known ??= this.#read()
    return this.#known
  }

  #read(): Map<string, number> {
    const known = new Map<string, number>()
    for (let token = 0; token < this.#vocabulary.size; token++) {
      const bytes = this.#vocabulary.bytesOf(token, false).toString('latin1')
      if (bytes.length > longestToken) continue
      // One for a byte is written only where there is none for the letter.
      if (!known.has(bytes) || !this.#vocabulary.isByte(token)) known.set(bytes, token)
    }
    return known
  }
}
