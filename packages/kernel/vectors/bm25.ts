// BM25 over the blocks of a collection. Of a large one some blocks are read whole, which tells what is usual and how good
// the best are at least; in the others common words are looked at only where they can still make a chunk one of the best.
import { BestChunks, type ScoredChunk } from './best-chunks.ts'
import type { AskedWords, FoundWords } from './index-protocol.ts'
import { addHeldWorth, addWorth, normsOf, peakOf, shareOfOnce, worthOf } from './term-worth.ts'
import { locate, maxBlockChunks, type WordBlock } from './word-block.ts'

/** Rare words are read in every block, so that what is usual is known exactly where a sample could miss it. */
const maxRarePostings = 8_192
/** Half a millisecond of the index thread. */
const maxSampledPostings = 16_384
const minSampledBlocks = 4
/** So many times as many chunks as are wanted are expected above the border that is guessed. */
const guessedShare = 2
/** A few milliseconds: what is beyond counts for those chunks only that the rarer words found. */
const maxPostings = 250_000
/** A handful of chunks does not tell which words are common: so many others are thought of that hold none of them. */
const imaginedChunks = 100
/** A word that one of so many chunks holds, and no other, is as good as the name of that chunk. */
const minNamedAmong = 100
/** Of a whole name or a stem: a form of a word that others hold in other forms is no name. */
const minNameWeight = 0.5
/** Sums of the same numbers in another order may differ in the last digits. */
const rounding = 1 - 1e-9

interface Term {
  /** Where each block has it; -1 where it has not. */
  places: Int32Array
  /** How many chunks hold it. */
  holding: number
  /** What holding it is worth at most. */
  most: number
  /** Whether a single chunk can be named by it. */
  isName: boolean
}

export function scoreWords(
  blocks: readonly WordBlock[],
  asked: AskedWords,
  count: number,
  wanted: Float64Array,
): FoundWords {
  const chunks = blocks.reduce((sum, block) => sum + block.count, 0)
  const length = blocks.reduce((sum, block) => sum + block.length, 0)
  const terms = termsOf(blocks, asked, chunks)
  const full = terms.reduce((sum, { most }) => sum + most * shareOfOnce, 0)
  const held = terms.filter(({ holding }) => holding > 0).sort((a, b) => a.holding / a.most - b.holding / b.most)
  const scoring = new Scoring(blocks, held, Math.max(1, length / Math.max(1, chunks)))
  const among = asked.among && new Set(asked.among)
  const best = scoring.best(count, among)
  const named = namedBy(blocks, held, among)
  const numbers = new Set([...best.map(({ number }) => number), ...named])
  return {
    numbers: Float64Array.from(numbers),
    scores: Float64Array.from(numbers, (number, at) => best[at]?.score ?? scoring.scoreOf(number)),
    named: Float64Array.from(named),
    wanted: wanted.map((number) => scoring.scoreOf(number)),
    ...scoring.usual(chunks),
    chunks,
    full,
  }
}

function termsOf(blocks: readonly WordBlock[], { terms, weights }: AskedWords, chunks: number): Term[] {
  return Array.from(terms, (term, at) => {
    const places = new Int32Array(blocks.length)
    let holding = 0
    for (let index = 0; index < blocks.length; index++) {
      const block = blocks[index] as WordBlock
      const place = block.find(term)
      places[index] = place
      if (place >= 0) holding += block.holding(place)
    }
    const others = Math.max(chunks, imaginedChunks) - holding
    const rarity = Math.log(1 + (others + 0.5) / (holding + 0.5))
    const weight = weights[at] as number
    const isName = holding === 1 && weight >= minNameWeight && chunks >= minNamedAmong
    return { places, holding, most: (weight * rarity) / shareOfOnce, isName }
  })
}

/** Each chunk that alone holds one of the terms. */
function namedBy(
  blocks: readonly WordBlock[],
  terms: readonly Term[],
  among: ReadonlySet<number> | undefined,
): ReadonlySet<number> {
  const named = new Set<number>()
  for (const { places } of terms.filter(({ isName }) => isName)) {
    for (let index = 0; index < blocks.length; index++) {
      const [block, place] = [blocks[index] as WordBlock, places[index] as number]
      const chunk = place < 0 ? undefined : block.firstHolding(place)
      if (chunk === undefined || among?.has(block.data.owners[chunk] as number) === false) continue
      named.add(block.data.numbers[chunk] as number)
    }
  }
  return named
}

/** How many of the first terms have no more postings than that together. */
function countWithin(terms: readonly Term[], postings: number): number {
  let [count, sum] = [0, 0]
  for (const { holding } of terms) {
    sum += holding
    if (sum > postings) break
    count++
  }
  return count
}

/** Of the scores of some chunks. */
interface Moments {
  sum: number
  squares: number
}

class Scoring {
  readonly #blocks: readonly WordBlock[]
  /** Those first that tell most with the fewest postings. */
  readonly #terms: readonly Term[]
  readonly #meanLength: number
  /** Terms before this one are rare. */
  readonly #commonFrom: number
  /** Those from this one on find nothing by themselves. */
  readonly #leftFrom: number
  /** Every so many blocks one is read whole. */
  readonly #stride: number
  /** Of the block that is looked at: the scores of its chunks, and the places of those that have one. */
  readonly #scores = new Float64Array(maxBlockChunks)
  readonly #places = new Uint16Array(maxBlockChunks)
  /** Of chunks in blocks that are read whole, by all terms and by rare ones; of all chunks by rare ones. */
  readonly #sampled: Moments = { sum: 0, squares: 0 }
  readonly #sampledRare: Moments = { sum: 0, squares: 0 }
  readonly #rare: Moments = { sum: 0, squares: 0 }
  #sampledChunks = 0

  constructor(blocks: readonly WordBlock[], terms: readonly Term[], meanLength: number) {
    this.#blocks = blocks
    this.#terms = terms
    this.#meanLength = meanLength
    this.#commonFrom = countWithin(terms, maxRarePostings)
    this.#leftFrom = countWithin(terms, maxPostings)
    const postings = terms.reduce((sum, { holding }) => sum + holding, 0)
    const sampled = Math.max(minSampledBlocks, (blocks.length * maxSampledPostings) / Math.max(1, postings))
    this.#stride = Math.max(1, Math.ceil(blocks.length / sampled))
  }

  /** The `count` best, those of some owners alone where these are given. */
  best(count: number, among: ReadonlySet<number> | undefined): readonly ScoredChunk[] {
    const sampled = new BestChunks(count)
    for (let index = 0; index < this.#blocks.length; index += this.#stride) this.#readWhole(index, sampled, among)
    if (this.#stride === 1) return sampled.list
    const rare = { ...this.#rare }
    // As many as are wanted are likely to be better than this one: if they are not, it is all done again without the guess.
    const guess = sampled.list[Math.ceil((count / this.#stride) * guessedShare)]?.score ?? 0
    const best = this.#readRest(sampled.copy(guess), among)
    if (best.list.length === count || guess === sampled.border) return best.list
    Object.assign(this.#rare, rare)
    return this.#readRest(sampled.copy(sampled.border), among).list
  }

  /** Of all chunks: what the sample tells, set right by what is known of the rare terms. */
  usual(chunks: number): Moments {
    if (this.#stride === 1 || this.#sampledChunks === 0) return this.#sampled
    const times = chunks / this.#sampledChunks
    const [all, sampledRare, rare] = [this.#sampled, this.#sampledRare, this.#rare]
    const common = (all.sum - sampledRare.sum) / this.#sampledChunks
    const missed = rare.sum - sampledRare.sum * times
    return {
      sum: all.sum * times + missed,
      squares: (all.squares - sampledRare.squares) * times + rare.squares + 2 * common * missed,
    }
  }

  /** Of one chunk, by all terms. */
  scoreOf(number: number): number {
    const found = locate(this.#blocks, number)
    if (found === undefined) return 0
    const { index, block, chunk } = found
    const norm = normsOf(block, this.#meanLength)[chunk] as number
    let score = 0
    for (const { places, most } of this.#terms) {
      const place = places[index] as number
      const count = place < 0 ? 0 : block.countIn(place, chunk)
      if (count > 0) score += worthOf(most, count, norm)
    }
    return score
  }

  #readWhole(index: number, best: BestChunks, among: ReadonlySet<number> | undefined): void {
    const block = this.#blocks[index] as WordBlock
    const rareHeld = this.#add(index, block, 0, this.#commonFrom, 0)
    this.#noteHeld(block, rareHeld, this.#sampledRare)
    this.#noteHeld(block, rareHeld, this.#rare)
    const held = this.#add(index, block, this.#commonFrom, this.#terms.length, rareHeld)
    this.#noteHeld(block, held, this.#sampled)
    this.#sampledChunks += block.count
    this.#offer(block, held, best, among)
  }

  #readRest(best: BestChunks, among: ReadonlySet<number> | undefined): BestChunks {
    for (let index = 0; index < this.#blocks.length; index++)
      if (index % this.#stride !== 0) this.#readBest(index, best, among)
    return best
  }

  #readBest(index: number, best: BestChunks, among: ReadonlySet<number> | undefined): void {
    const block = this.#blocks[index] as WordBlock
    const border = best.border * rounding
    const needless = this.#needless(index, block, border)
    const rareHeld = this.#add(index, block, 0, this.#commonFrom, 0)
    this.#noteHeld(block, rareHeld, this.#rare)
    let held = this.#add(index, block, this.#commonFrom, needless.from, rareHeld)
    held = this.#keep(held, border - needless.most)
    let { most } = needless
    for (let at = needless.from; at < this.#terms.length && held > 0; at++) {
      const term = this.#terms[at] as Term
      const place = term.places[index] as number
      if (place < 0) continue
      most -= term.most * peakOf(block, place, this.#meanLength)
      addHeldWorth(block, place, term.most, normsOf(block, this.#meanLength), this.#scores, this.#places, held)
      held = this.#keep(held, border - most)
    }
    this.#offer(block, held, best, among)
  }

  #offer(block: WordBlock, held: number, best: BestChunks, among: ReadonlySet<number> | undefined): void {
    const { numbers, owners } = block.data
    for (let at = 0; at < held; at++) {
      const chunk = this.#places[at] as number
      const score = this.#scores[chunk] as number
      this.#scores[chunk] = 0
      if (block.gone?.[chunk] === 1 || among?.has(owners[chunk] as number) === false) continue
      best.offer(numbers[chunk] as number, score)
    }
  }

  /** Those of the places whose score is not below the border, and how many these are. */
  #keep(held: number, border: number): number {
    let kept = 0
    for (let at = 0; at < held; at++) {
      const chunk = this.#places[at] as number
      if ((this.#scores[chunk] as number) < border) this.#scores[chunk] = 0
      else this.#places[kept++] = chunk
    }
    return kept
  }

  /** The most common terms, as many as cannot lift a chunk over the border without the others, and what they can give. */
  #needless(index: number, block: WordBlock, border: number): { from: number; most: number } {
    let [from, most] = [this.#terms.length, 0]
    for (; from > this.#commonFrom; from--) {
      const term = this.#terms[from - 1] as Term
      const place = term.places[index] as number
      const more = place < 0 ? 0 : term.most * peakOf(block, place, this.#meanLength)
      if (most + more >= border && from <= this.#leftFrom) break
      most += more
    }
    return { from, most }
  }

  #noteHeld(block: WordBlock, held: number, moments: Moments): void {
    for (let at = 0; at < held; at++) {
      const chunk = this.#places[at] as number
      if (block.gone?.[chunk] === 1) continue
      const score = this.#scores[chunk] as number
      moments.sum += score
      moments.squares += score * score
    }
  }

  /** Adds what the terms from one to another give. Tells how many chunks have a score then. */
  #add(index: number, block: WordBlock, from: number, to: number, heldBefore: number): number {
    let held = heldBefore
    for (let at = from; at < to; at++) {
      const term = this.#terms[at] as Term
      const place = term.places[index] as number
      if (place < 0) continue
      const norms = normsOf(block, this.#meanLength)
      held = addWorth(block, place, term.most, norms, this.#scores, this.#places, held)
    }
    return held
  }
}
