// Which of some hundred chunks hold which terms, and how often: sorted once, then only read.
import { type Bag, maxCount } from './bag.ts'
import { type Keyed, radixSteps } from './radix-sort.ts'

export interface PlacedBag extends Bag {
  number: number
  /** The id of the chunk's owner. */
  owner: number
  /** The checksum of the bag. */
  sum: number
}

/** A posting is 16 bits: the place of the chunk in the block, and how often it holds the term. */
export const maxBlockChunks = 1_024
const countBits = 6

export interface BlockData {
  numbers: Float64Array
  owners: Float64Array
  lengths: Uint16Array
  /** Growing; the postings of each begin at its start and end at the next one's. */
  terms: Uint32Array
  starts: Uint32Array
  postings: Uint16Array
  /** The checksum of the last chunk's bag: tells whether the rows are still the same. */
  lastBagSum: number
}

export const placeOf = (posting: number): number => posting >> countBits
export const countOf = (posting: number): number => posting & maxCount

export class WordBlock {
  readonly data: BlockData
  /** 1 for chunks that were removed. Undefined: none was. */
  gone: Uint8Array | undefined
  /** Whoever scores keeps here what it made of the lengths. */
  norms: { meanLength: number; list: Float32Array } | undefined
  /** And what the terms are worth at most; 0 where it was not asked for yet. */
  peaks: { step: number; list: Float32Array } | undefined
  #goneCount = 0
  #length = 0

  constructor(data: BlockData) {
    this.data = data
    for (const length of data.lengths) this.#length += length
  }

  static of(bags: readonly PlacedBag[]): WordBlock {
    const steps = WordBlock.steps(bags)
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
    }
  }

  /** As `of`, for many: each step takes a few milliseconds at most. */
  static *steps(bags: readonly PlacedBag[]): Generator<undefined, WordBlock> {
    return new WordBlock(yield* sorting(bags))
  }

  /** Chunks that were not removed. */
  get count(): number {
    return this.data.numbers.length - this.#goneCount
  }

  /** Of all chunks that were not removed, together. */
  get length(): number {
    return this.#length
  }

  get bytes(): number {
    const { numbers, owners, lengths, terms, starts, postings } = this.data
    return [numbers, owners, lengths, terms, starts, postings].reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** The place of the term; -1 when no chunk holds it. */
  find(term: number): number {
    return placeIn(this.data.terms, term, term / 2 ** 32)
  }

  /** How many of the chunks hold the term at that place. */
  holding(place: number): number {
    const { starts, postings } = this.data
    const [from, to] = [starts[place] as number, starts[place + 1] as number]
    if (this.gone === undefined) return to - from
    let count = 0
    for (let at = from; at < to; at++) if (this.gone[placeOf(postings[at] as number)] === 0) count++
    return count
  }

  /** The place of the first chunk that holds the term at that place and was not removed. */
  firstHolding(place: number): number | undefined {
    const { starts, postings } = this.data
    for (let at = starts[place] as number, end = starts[place + 1] as number; at < end; at++) {
      const chunk = placeOf(postings[at] as number)
      if (this.gone?.[chunk] !== 1) return chunk
    }
    return undefined
  }

  /** How often the chunk holds the term at that place. */
  countIn(place: number, chunk: number): number {
    const { starts, postings, numbers } = this.data
    const [from, to] = [starts[place] as number, starts[place + 1] as number]
    const at = firstFrom(postings, chunk << countBits, from, to, chunk / numbers.length)
    const posting = at < to ? (postings[at] as number) : 0
    return placeOf(posting) === chunk ? countOf(posting) : 0
  }

  remove(owners: ReadonlySet<number>): void {
    for (const [chunk, owner] of this.data.owners.entries()) {
      if (!owners.has(owner) || this.gone?.[chunk] === 1) continue
      this.gone ??= new Uint8Array(this.data.numbers.length)
      this.gone[chunk] = 1
      this.#goneCount++
      this.#length -= this.data.lengths[chunk] as number
    }
  }
}

export interface Located {
  block: WordBlock
  index: number
  chunk: number
}

/** Numbers grow from block to block and within them. */
export function locate(blocks: readonly WordBlock[], number: number): Located | undefined {
  let [from, to] = [0, blocks.length - 1]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((blocks[middle]?.data.numbers.at(-1) ?? 0) < number) from = middle + 1
    else to = middle
  }
  const block = blocks[from]
  if (block === undefined) return undefined
  const { numbers } = block.data
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)]
  const chunk = placeIn(numbers, number, (number - first) / Math.max(1, last - first))
  return chunk === -1 ? undefined : { block, index: from, chunk }
}

type Growing = Float64Array | Uint32Array | Uint16Array

/** Of growing numbers; -1 when it is none of them. */
function placeIn(numbers: Growing, number: number, share: number): number {
  const at = firstFrom(numbers, number, 0, numbers.length, share)
  return numbers[at] === number ? at : -1
}

/** The place of the first that is not less, looked for around the share of the way where it is if they are spread evenly. */
function firstFrom(numbers: Growing, number: number, start: number, end: number, share: number): number {
  let from = Math.max(start, Math.min(end - 1, start + Math.floor((end - start) * share)))
  let to = from
  for (let step = 4; from > start && (numbers[from] as number) >= number; step *= 4) {
    to = from
    from = Math.max(start, from - step)
  }
  for (let step = 4; to < end && (numbers[to] as number) < number; step *= 4) {
    from = to + 1
    to = Math.min(end, to + step)
  }
  while (from < to) {
    const middle = (from + to) >> 1
    if ((numbers[middle] as number) < number) from = middle + 1
    else to = middle
  }
  return from
}

function* sorting(bags: readonly PlacedBag[]): Generator<undefined, BlockData> {
  const list = postingsOf(bags)
  yield
  const { keys, values: postings } = yield* radixSteps(list)
  const { terms, starts } = termsIn(keys)
  return {
    numbers: Float64Array.from(bags, ({ number }) => number),
    owners: Float64Array.from(bags, ({ owner }) => owner),
    lengths: Uint16Array.from(bags, ({ length }) => length),
    terms,
    starts,
    postings,
    lastBagSum: bags.at(-1)?.sum ?? 0,
  }
}

/** Each once, and where those with it begin; last of all where they end. */
function termsIn(keys: Uint32Array): Pick<BlockData, 'terms' | 'starts'> {
  let distinct = 0
  for (let at = 0; at < keys.length; at++) if (at === 0 || keys[at] !== keys[at - 1]) distinct++
  const [terms, starts] = [new Uint32Array(distinct), new Uint32Array(distinct + 1)]
  let place = 0
  for (let at = 0; at < keys.length; at++) {
    if (at > 0 && keys[at] === keys[at - 1]) continue
    terms[place] = keys[at] as number
    starts[place++] = at
  }
  starts[distinct] = keys.length
  return { terms, starts }
}

/** By chunk; each with its term. */
function postingsOf(bags: readonly PlacedBag[]): Keyed {
  const total = bags.reduce((sum, { terms }) => sum + terms.length, 0)
  const list = { keys: new Uint32Array(total), values: new Uint16Array(total) }
  let filled = 0
  for (const [place, { terms, counts }] of bags.entries()) {
    for (let at = 0; at < terms.length; at++) {
      list.keys[filled] = terms[at] as number
      list.values[filled++] = (place << countBits) + (counts[at] as number)
    }
  }
  return list
}
