// Cuts a text, as it arrives, into chunks of at most so many tokens, each beginning with the last tokens of the one
// before. What it holds is a chunk and a little more, however long the text or its lines are.
import type { ChunkSizes, DocumentChunk } from '../documents.ts'
import type { MarkedText } from '../marks.ts'
import { cutStrength, headingStart, neverCut, paragraphEnd, strengthInBlock } from './cut.ts'
import { Outline, type Span } from './outline.ts'
import { addUnits, countTokens, type Unit } from './tokens.ts'
import { lookahead, maxRun, wordEnd } from './words.ts'

/** The last part of a chunk is where a good end for it is looked for. */
const searchedShare = 0.25
/** A stretch that is never cut may have 32 tokens; a chunk must hold one besides its overlap. */
const leastMaxTokens = 64
/** A block may have a few tokens more beside other text than alone. */
const blockMargin = 4

/** A chunk and its place in the text, in UTF-16 units. */
export interface PlacedChunk extends DocumentChunk {
  start: number
  end: number
}

export class Chunker {
  readonly #maxTokens: number
  readonly #overlapTokens: number
  readonly #outline: Outline
  /** What is held of the text; its first character's place is `#base`. */
  #text = ''
  #base = 0
  /** Up to here the text is in units. */
  #scanned = 0
  #isInsideWord = false
  /** The next chunk begins here, and so do the units. */
  #start = 0
  #units: Unit[] = []
  #tokens = 0
  #seenTokens = 0
  #lastEnd = 0
  #nextOrdinal = 0

  constructor({ maxTokens, overlapTokens }: ChunkSizes, filename: string) {
    if (!(maxTokens >= leastMaxTokens && overlapTokens >= 0 && overlapTokens <= maxTokens / 2))
      throw new RangeError(`A chunk has at least ${leastMaxTokens} tokens, and its overlap is at most half of them.`)
    this.#maxTokens = maxTokens
    this.#overlapTokens = overlapTokens
    this.#outline = new Outline(filename)
  }

  /** Of all the text so far, counted once where chunks overlap. */
  get seenTokens(): number {
    return this.#seenTokens
  }

  *add(piece: MarkedText): Generator<PlacedChunk> {
    if (typeof piece === 'string') yield* this.#addText(piece)
    else this.#outline.add(piece, this.#base + this.#text.length)
  }

  *#addText(text: string): Generator<PlacedChunk> {
    this.#outline.noteText(text, this.#base + this.#text.length)
    // One character stays: whether the start is a good place to cut depends on it.
    const gone = Math.max(0, this.#start - this.#base - 1)
    this.#text = this.#text.slice(gone) + text
    this.#base += gone
    yield* this.#scan(this.#text.length - lookahead)
  }

  *finish(): Generator<PlacedChunk> {
    yield* this.#scan(this.#text.length)
    while (this.#lastEnd < this.#scanned) yield* this.#cut(this.#units.length)
  }

  *#scan(until: number): Generator<PlacedChunk> {
    while (this.#scanned - this.#base < until) {
      const at = this.#scanned - this.#base
      const end = wordEnd(this.#text, at)
      const known = this.#units.length
      this.#isInsideWord = addUnits(this.#text.slice(at, end), this.#isInsideWord, this.#units)
      this.#scanned = this.#base + end
      const tokens = this.#tokensOf(known, this.#units.length)
      this.#tokens += tokens
      this.#seenTokens += tokens
      while (this.#tokens > this.#maxTokens) yield* this.#cut(this.#bestCount())
    }
  }

  /** Makes a chunk of the first units. */
  *#cut(wanted: number): Generator<PlacedChunk> {
    const { count, end, text, tokens } = this.#measure(wanted)
    const start = this.#start
    this.#lastEnd = end
    this.#moveStart(count, end)
    // A stretch of nothing but blanks has nothing to find.
    const blanks = text.search(/\S/)
    if (blanks < 0) return
    const heading = this.#outline.headingAt(start + blanks, end)
    this.#outline.forget(this.#start)
    yield { ordinal: this.#nextOrdinal++, heading, text, tokens, start, end }
  }

  /** Of the first units, or of fewer where the tokenizer finds more tokens in them than they have one by one. */
  #measure(wanted: number): { count: number; end: number; text: string; tokens: number } {
    for (let count = wanted; ; count--) {
      const end = this.#start + this.#lengthOf(0, count)
      const text = this.#text.slice(this.#start - this.#base, end - this.#base)
      const isExact =
        !this.#isRough(count) && this.#strengthAt(this.#start) !== neverCut && this.#strengthAt(end) !== neverCut
      const tokens = isExact ? this.#tokensOf(0, count) : countTokens(text)
      const previousEnd = end - (this.#units[count - 1] as Unit).length
      if (tokens <= this.#maxTokens || count === 1 || previousEnd <= this.#lastEnd) return { count, end, text, tokens }
    }
  }

  /** How many units make the next chunk: as many as fit, or up to a better place to cut shortly before. */
  #bestCount(): number {
    let fitting = 0
    for (let tokens = 0; fitting < this.#units.length; fitting++) {
      tokens += (this.#units[fitting] as Unit).tokens
      if (tokens > this.#maxTokens) break
    }
    return this.#beforeBlock(this.#goodCut(Math.max(1, fitting)))
  }

  #goodCut(fitting: number): number {
    let best = fitting
    let strength = neverCut
    let tokens = this.#tokensOf(0, best)
    let end = this.#start + this.#lengthOf(0, best)
    const bestStrength = this.#outline.hasHeading(this.#lastEnd, end) ? headingStart : paragraphEnd
    for (let count = best; tokens >= this.#maxTokens * (1 - searchedShare) && strength < bestStrength; count--) {
      const here = this.#rating(end)
      if (here > strength) [best, strength] = [count, here]
      const { length, tokens: less } = this.#units[count - 1] as Unit
      end -= length
      tokens -= less
    }
    return best
  }

  /** So many units, or as many as stand before a block that would be cut and fits into a chunk of its own. */
  #beforeBlock(count: number): number {
    const end = this.#start + this.#lengthOf(0, count)
    const block = this.#outline.blocksAt(end).find((span) => span.start > this.#lastEnd && this.#fits(span))
    if (block === undefined) return count
    let fewer = count
    let place = end
    while (place > block.start) place -= (this.#units[--fewer] as Unit).length
    return place > this.#lastEnd ? fewer : count
  }

  #fits({ start, end }: Span): boolean {
    // Further ahead it depends on how the text arrives whether the end is known.
    if (end === undefined || end > this.#scanned + maxRun) return false
    return countTokens(this.#text.slice(start - this.#base, end - this.#base)) + blockMargin <= this.#maxTokens
  }

  /** The next chunk begins where at most the overlap's tokens are left of this one, of `count` units. */
  #moveStart(count: number, end: number): void {
    const next = this.#units[count]
    const allowed =
      next === undefined ? 0 : Math.min(this.#overlapTokens, this.#maxTokens - this.#leastAfter(end, next))
    let first = count
    let start = end
    for (let tokens = 0; first > 1; first--) {
      const unit = this.#units[first - 1] as Unit
      tokens += unit.tokens
      if (tokens > allowed) break
      start -= unit.length
    }
    for (; first < count && !this.#isGoodStart(first, start); first++) start += (this.#units[first] as Unit).length
    this.#tokens -= this.#tokensOf(0, first)
    this.#units = this.#units.slice(first)
    this.#start = start
  }

  /** The tokens that the next chunk has to have room for: a block that begins there stays whole where it fits. */
  #leastAfter(end: number, next: Unit): number {
    const block = this.#outline.blockFrom(end)
    if (block?.end === undefined || !this.#fits(block)) return next.tokens
    return countTokens(this.#text.slice(end - this.#base, block.end - this.#base)) + blockMargin
  }

  #isGoodStart(index: number, start: number): boolean {
    if ((this.#units[index] as Unit).rough || this.#strengthAt(start) === neverCut) return false
    // Rows and items are whole.
    return this.#isLineStart(start) || this.#outline.blocksAt(start).length === 0
  }

  #rating(place: number): number {
    const strength = this.#strengthAt(place)
    if (strength !== neverCut && this.#outline.isHeading(place)) return headingStart
    return this.#outline.blocksAt(place).length > 0 ? strengthInBlock(strength, this.#isLineStart(place)) : strength
  }

  #isLineStart(place: number): boolean {
    return this.#text[place - this.#base - 1] === '\n'
  }

  #strengthAt(place: number): number {
    return cutStrength(this.#text, place - this.#base)
  }

  #isRough(count: number): boolean {
    for (let index = 0; index < count; index++) if ((this.#units[index] as Unit).rough) return true
    return false
  }

  #tokensOf(from: number, to: number): number {
    let sum = 0
    for (let index = from; index < to; index++) sum += (this.#units[index] as Unit).tokens
    return sum
  }

  #lengthOf(from: number, to: number): number {
    let sum = 0
    for (let index = from; index < to; index++) sum += (this.#units[index] as Unit).length
    return sum
  }
}
