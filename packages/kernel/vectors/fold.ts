// Chunks of a file overlap, and files repeat one another: what the hits before have said already is not said again.
import type { VectorHit } from './vectors.ts'

/** So much of a text in one neighbour is nearly all of it. */
const mostOfIt = 0.8
/** Texts that overlap share at least so many letters. */
const minShared = 24

export class Fold {
  /** Best first. */
  readonly hits: VectorHit[] = []
  readonly #texts = new Set<string>()
  readonly #places = new Map<string, string>()

  /** Adds a hit, unless its text is among those there, or its neighbours hold all of it. */
  add(hit: VectorHit): void {
    const { text } = hit
    if (this.#texts.has(text) || this.#isHeld(hit)) return
    this.#texts.add(text)
    this.#places.set(placeOf(hit, 0), text)
    this.hits.push(hit)
  }

  #isHeld(hit: VectorHit): boolean {
    const { text } = hit
    const [before, after] = [this.#places.get(placeOf(hit, -1)), this.#places.get(placeOf(hit, 1))]
    const atStart = before === undefined ? 0 : sharedLetters(before, text)
    const atEnd = after === undefined ? 0 : sharedLetters(text, after)
    if (atStart + atEnd === 0) return false
    const between = text.slice(atStart, Math.max(atStart, text.length - atEnd))
    return Math.max(atStart, atEnd) >= text.length * mostOfIt || between.trim() === ''
  }
}

const placeOf = ({ collection, owner, ordinal }: VectorHit, steps: number): string =>
  `${ordinal + steps} ${collection} ${owner}`

/** How many of the last letters of one text are the first of the next. */
function sharedLetters(text: string, next: string): number {
  const start = next.slice(0, minShared)
  if (start.length < minShared) return 0
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
    const length = text.length - at
    if (next.startsWith(text.slice(at))) return length
    if (length < minShared) return 0
  }
  return 0
}
