// BM25 over the blocks of a collection. The work is bounded, however many chunks hold the words of a question: rare
// words are read whole, and what is beyond the bound counts for those chunks only that the others found.
import type { AskedWords, FoundWords } from './index-protocol.ts'
import { countOf, locate, maxBlockChunks, placeOf, type WordBlock } from './word-block.ts'

/** How soon more of the same word tells nothing more, and how much a long text has to hold more to tell as much. */
const saturation = 1.2
const lengthShare = 0.75
/** A few milliseconds of the index thread. */
const maxPostings = 250_000
/** A handful of chunks does not tell which words are common: so many others are thought of that hold none of them. */
const imaginedChunks = 100

interface Term {
  /** Where each block has it; -1 where it has not. */
  places: Int32Array
  /** How many chunks hold it. */
  holding: number
  /** What holding it once is worth. */
  worth: number
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
  const full = terms.reduce((sum, { worth }) => sum + worth, 0)
  const [read, left] = divided(terms)
  const scoring = new Scoring(blocks, read, left, length / Math.max(1, chunks))
  const best = scoring.best(count, asked.among && new Set(asked.among))
  return {
    numbers: Float64Array.from(best, ({ number }) => number),
    scores: Float64Array.from(best, ({ score }) => score),
    wanted: wanted.map((number) => scoring.scoreOf(number)),
    sum: scoring.sum,
    squares: scoring.squares,
    chunks,
    full,
  }
}

function termsOf(blocks: readonly WordBlock[], { terms, weights }: AskedWords, chunks: number): Term[] {
  return Array.from(terms, (term, at) => {
    const places = Int32Array.from(blocks, (block) => block.find(term))
    let holding = 0
    for (const [index, block] of blocks.entries()) {
      const place = places[index] as number
      if (place >= 0) holding += block.holding(place)
    }
    const others = Math.max(chunks, imaginedChunks) - holding
    return { places, holding, worth: (weights[at] as number) * Math.log(1 + (others + 0.5) / (holding + 0.5)) }
  })
}

/** The rare ones first, as many as may be read. */
function divided(terms: readonly Term[]): [read: Term[], left: Term[]] {
  const held = terms.filter(({ holding }) => holding > 0).sort((a, b) => a.holding - b.holding)
  let [count, postings] = [0, 0]
  for (const { holding } of held) {
    postings += holding
    if (postings <= maxPostings) count++
  }
  return [held.slice(0, count), held.slice(count)]
}

interface Scored {
  number: number
  score: number
}

class Scoring {
  readonly #blocks: readonly WordBlock[]
  readonly #read: readonly Term[]
  readonly #left: readonly Term[]
  readonly #meanLength: number
  /** Of the block that is looked at: the scores of its chunks, and the places of those that have one. */
  readonly #scores = new Float64Array(maxBlockChunks)
  readonly #places = new Uint16Array(maxBlockChunks)
  /** Of the scores of all chunks, and of their squares. */
  sum = 0
  squares = 0

  constructor(blocks: readonly WordBlock[], read: readonly Term[], left: readonly Term[], meanLength: number) {
    this.#blocks = blocks
    this.#read = read
    this.#left = left
    this.#meanLength = Math.max(1, meanLength)
  }

  /** The `count` best, those of some owners alone where these are given. */
  best(count: number, among: ReadonlySet<number> | undefined): Scored[] {
    let best: Scored[] = []
    let border = 0
    for (const [index, block] of this.#blocks.entries()) {
      const { numbers, owners } = block.data
      for (let at = 0, held = this.#scoreBlock(index, block); at < held; at++) {
        const chunk = this.#places[at] as number
        const score = this.#scores[chunk] as number
        this.#scores[chunk] = 0
        if (block.gone?.[chunk] === 1) continue
        this.sum += score
        this.squares += score * score
        if (score < border || among?.has(owners[chunk] as number) === false) continue
        best.push({ number: numbers[chunk] as number, score })
        if (best.length < count * 4 + 64) continue
        best = first(best, count)
        border = best.at(-1)?.score ?? 0
      }
    }
    if (this.#left.length === 0) return first(best, count)
    return first(
      first(best, count).map(({ number }) => ({ number, score: this.scoreOf(number) })),
      count,
    )
  }

  /** Of one chunk, by all terms. */
  scoreOf(number: number): number {
    const found = locate(this.#blocks, number)
    if (found === undefined) return 0
    const { block, index, chunk } = found
    const norm = normsOf(block, this.#meanLength)[chunk] as number
    let score = 0
    for (const terms of [this.#read, this.#left]) {
      for (const { places, worth } of terms) {
        const place = places[index] as number
        const count = place < 0 ? 0 : block.countIn(place, chunk)
        if (count > 0) score += (worth * (saturation + 1) * count) / (count + norm)
      }
    }
    return score
  }

  /** How many of its chunks hold anything. */
  #scoreBlock(index: number, block: WordBlock): number {
    let held = 0
    for (const { places, worth } of this.#read) {
      const place = places[index] as number
      if (place < 0) continue
      const norms = normsOf(block, this.#meanLength)
      held = addScores(block, place, worth * (saturation + 1), norms, this.#scores, this.#places, held)
    }
    return held
  }
}

/** The one loop that matters: nothing in it but numbers. */
function addScores(
  { data: { starts, postings } }: WordBlock,
  place: number,
  worth: number,
  norms: Float64Array,
  scores: Float64Array,
  places: Uint16Array,
  heldBefore: number,
): number {
  let held = heldBefore
  for (let at = starts[place] as number, end = starts[place + 1] as number; at < end; at++) {
    const posting = postings[at] as number
    const chunk = placeOf(posting)
    const count = countOf(posting)
    const before = scores[chunk] as number
    if (before === 0) places[held++] = chunk
    scores[chunk] = before + (worth * count) / (count + (norms[chunk] as number))
  }
  return held
}

/** What the lengths of a block's chunks mean beside the usual one; kept until that changes. */
function normsOf(block: WordBlock, meanLength: number): Float64Array {
  if (block.norms?.meanLength === meanLength) return block.norms.list
  const list = Float64Array.from(
    block.data.lengths,
    (length) => saturation * (1 - lengthShare + (lengthShare * length) / meanLength),
  )
  block.norms = { meanLength, list }
  return list
}

const first = (list: readonly Scored[], count: number): Scored[] =>
  list.toSorted((a, b) => b.score - a.score || a.number - b.number).slice(0, count)
