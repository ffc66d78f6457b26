// Cuts a text into the pieces of words the sentence encoder knows: the most likely way to cut, found in one pass over
// the text.
const wordStart = '\u2581'
const unknownPiece = 0
/** Marks of the training; no text has them. */
const reservedPieces = 6
/** Rare words. One of them stands for each letter the model never saw: see `standIn`. */
const standIns = { first: 4000, count: 3900 }
/** A ruler of a thousand dashes says no more than a short one, and takes as long to read as a page. */
const longSymbolRuns = /(([^\p{L}\p{N}\s])\2{7})\2+/gu
const isSymbol = /[\p{L}\p{M}\p{N}\p{S}]/u

/** Each piece with its log probability; its place in the list is its number. */
export type Vocabulary = readonly (readonly [piece: string, score: number])[]

interface Branch {
  next: Map<number, Branch>
  piece: number
  score: number
}

const newBranch = (): Branch => ({ next: new Map(), piece: -1, score: 0 })

export class WordPieces {
  readonly #root = newBranch()
  readonly #startsWord: boolean[]

  constructor(vocabulary: Vocabulary) {
    this.#startsWord = vocabulary.map(([piece]) => piece.startsWith(wordStart))
    for (const [index, [piece, score]] of vocabulary.entries()) {
      if (index >= reservedPieces) this.#plant(piece, index, score)
    }
  }

  startsWord(piece: number): boolean {
    return this.#startsWord[piece] === true
  }

  /** At least one piece, also for a text of nothing but spaces. */
  encode(text: string): number[] {
    const normal = text.normalize('NFKC').replace(longSymbolRuns, '$1').trim().replace(/\s+/g, wordStart)
    return this.#mostLikely(wordStart + normal)
  }

  #plant(piece: string, index: number, score: number): void {
    let branch = this.#root
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at)
      const next = branch.next.get(unit) ?? newBranch()
      branch.next.set(unit, next)
      branch = next
    }
    branch.piece = index
    branch.score = score
  }

  #mostLikely(text: string): number[] {
    const best = new Float64Array(text.length + 1).fill(-Infinity)
    const pieceBefore = new Int32Array(text.length + 1)
    const startOf = new Int32Array(text.length + 1)
    best[0] = 0
    for (let start = 0; start < text.length; start++) {
      const soFar = best[start] ?? -Infinity
      const reach = (end: number, piece: number, score: number): void => {
        if (soFar + score < (best[end] ?? -Infinity)) return
        best[end] = soFar + score
        pieceBefore[end] = piece
        startOf[end] = start
      }
      let found = false
      let branch = this.#root.next.get(text.charCodeAt(start))
      for (let end = start + 1; branch !== undefined; end++) {
        if (branch.piece >= 0) {
          reach(end, branch.piece, branch.score)
          found = true
        }
        branch = branch.next.get(text.charCodeAt(end))
      }
      if (found) continue
      const letter = text.codePointAt(start) ?? 0
      const end = start + (letter > 0xffff ? 2 : 1)
      reach(end, standIn(letter), 0)
    }
    return walkBack(pieceBefore, startOf)
  }
}

/**
 * The vocabulary has few letters beyond those of English: a text in another script would be one unknown piece, the same
 * for all such texts. Each unknown letter gets a piece of its own instead, always the same, so that texts with the same
 * words come out near one another. What that brings is in weights/embeddings/CARD.md.
 */
function standIn(letter: number): number {
  if (!isSymbol.test(String.fromCodePoint(letter))) return unknownPiece
  const mixed = Math.imul(letter ^ 0x811c9dc5, 0x01000193)
  return standIns.first + (((mixed ^ (mixed >>> 15)) >>> 0) % standIns.count)
}

/** Several unknown marks in a row count as one. */
function walkBack(pieceBefore: Int32Array, startOf: Int32Array): number[] {
  const pieces: number[] = []
  for (let end = pieceBefore.length - 1; end > 0; end = startOf[end] ?? 0) {
    const piece = pieceBefore[end] ?? unknownPiece
    if (piece !== unknownPiece || pieces.at(-1) !== unknownPiece) pieces.push(piece)
  }
  return pieces.reverse()
}
