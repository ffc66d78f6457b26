// Cuts a text into the pieces of words the model knows: of each word the longest piece it begins with, then the longest
// that goes on from there. The time grows with the length of the text, whatever it holds.
import { kindOf, letterKind, nextNode, type PieceTree, roots } from './piece-tree.ts'

const isPlain = /^[\0-\x7f]*$/
const marks = /\p{Mn}+/gu
/** A ruler of a thousand dashes says no more than a short one. */
const maxSymbolRun = 8

/**
 * Fills `out` and tells how many there are: at most two for each letter. Those below 0 stand for letters no piece has,
 * and for two such letters in a row: a text in a script the model never saw still differs from others, and is the same
 * as itself.
 */
export class WordPieces {
  readonly #tree: PieceTree
  #text = ''
  #out = new Int32Array(0)
  #count = 0

  constructor(tree: PieceTree) {
    this.#tree = tree
  }

  /** The pieces of a text; valid until the next call. */
  cut(text: string): Int32Array {
    this.#text = normal(text)
    this.#count = 0
    const { kinds } = this.#tree
    const { length } = this.#text
    if (this.#out.length < 2 * length) this.#out = new Int32Array(2 * length)
    let run = 0
    for (let at = 0; at < length; ) {
      const unit = this.#text.charCodeAt(at)
      const kind = this.#kindAt(at, kinds[unit] as number)
      if (kind === letterKind.wordLetter) {
        const end = this.#endOfWord(at)
        this.#cutWord(at, end)
        at = end
        continue
      }
      const end = at + (kinds[unit] === letterKind.halfLetter && kind === letterKind.symbol ? 2 : 1)
      run = at > 0 && this.#text.charCodeAt(at - 1) === unit ? run + 1 : 1
      if (kind === letterKind.symbol && run <= maxSymbolRun) this.#cutWord(at, end)
      at = end
    }
    return this.#out.subarray(0, this.#count)
  }

  /** Half a letter is what the whole one is; without its other half it is nothing. */
  #kindAt(at: number, kind: number): number {
    if (kind !== letterKind.halfLetter) return kind
    const letter = this.#text.codePointAt(at) ?? 0
    return letter > 0xffff ? kindOf(String.fromCodePoint(letter)) : letterKind.gap
  }

  #endOfWord(from: number): number {
    const { kinds } = this.#tree
    let at = from
    while (at < this.#text.length) {
      const kind = kinds[this.#text.charCodeAt(at)] as number
      if (this.#kindAt(at, kind) !== letterKind.wordLetter) break
      at += kind === letterKind.halfLetter ? 2 : 1
    }
    return at
  }

  #cutWord(from: number, to: number): void {
    let before = 0
    for (let at = from, root: number = roots.word; at < to; root = roots.tail) {
      let node = root
      let piece = -1
      let end = at
      for (let next = at; next < to; next++) {
        node = nextNode(this.#tree, node, this.#text.charCodeAt(next))
        if (node < 0) break
        const here = this.#tree.pieces[node] as number
        if (here < 0) continue
        piece = here
        end = next + 1
      }
      if (piece >= 0) {
        this.#out[this.#count++] = piece
        before = 0
        at = end
        continue
      }
      const letter = this.#text.codePointAt(at) ?? 0
      this.#out[this.#count++] = -1 - mixed(letter)
      if (before > 0) this.#out[this.#count++] = -1 - mixed(Math.imul(before, 0x01000193) ^ letter)
      before = letter
      at += letter > 0xffff ? 2 : 1
    }
  }
}

/** Without accents and case, as the model was trained. */
const normal = (text: string): string =>
  (isPlain.test(text) ? text : text.normalize('NFD').replace(marks, '')).toLowerCase()

/** Spread over 31 bits. Vectors that are kept were made with it: it must stay as it is. */
function mixed(number: number): number {
  let hash = Math.imul(number ^ 0x811c9dc5, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) & 0x7fffffff
}
