// A model's tokens by their bytes, to find those that go on as a text does.
import type { Vocabulary } from '../vocabulary.ts'

const longestToken = 24
/** Before digits a space is a token of its own; elsewhere it is part of the next word's. */
const spaceBeforeWord = /^ \D/

export class CopyTokens {
  readonly #vocabulary: Pick<Vocabulary, 'size' | 'bytesOf'>
  #known: Map<string, number> | undefined

  constructor(vocabulary: Pick<Vocabulary, 'size' | 'bytesOf'>) {
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
      if (bytes.length <= longestToken && !known.has(bytes)) known.set(bytes, token)
    }
    return known
  }
}
