// Byte pair encoding with the cl100k_base vocabulary. The tokenizer's own encoder needs time that grows with the square
// of a word's length; this one stays quick on a "word" of a hundred thousand letters. It gives the same tokens.
import { Buffer } from 'node:buffer'
import vocabulary from 'gpt-tokenizer/bpeRanks/cl100k_base'
import { NumberHeap } from './number-heap.ts'

const none = -1
/** A queue entry holds a rank and a place: rank × maxBytes + place. */
const maxBytes = 2 ** 26
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is asked for.
const ascii = /^[\x00-\x7f]*$/

/** The rank of each token by its bytes, one character each. A lower rank is merged first. */
const ranks = new Map<string, number>()
vocabulary.forEach((token, rank) => {
  const bytes = typeof token === 'string' ? byteString(token) : Buffer.from(token).toString('latin1')
  ranks.set(bytes, rank)
})

/** One character per byte of its UTF-8 form. */
export function byteString(text: string): string {
  return ascii.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

/** The lengths in bytes of the tokens of one word: what the tokenizer's pattern took in one piece. */
export function tokenLengths(bytes: string): number[] {
  if (bytes.length >= maxBytes) throw new RangeError('A word is too long to encode.')
  if (bytes.length === 1 || ranks.has(bytes)) return [bytes.length]
  const ends = mergePairs(bytes)
  const lengths: number[] = []
  for (let at = 0; at < bytes.length; at = ends[at] as number) lengths.push((ends[at] as number) - at)
  return lengths
}

interface WorkSpace {
  ends: Int32Array
  before: Int32Array
  pairRanks: Int32Array
}

const workSpace = (size: number): WorkSpace => ({
  ends: new Int32Array(size),
  before: new Int32Array(size),
  pairRanks: new Int32Array(size),
})
/** Most words are short: they share one. */
const scratchSize = 65_536
const scratch = workSpace(scratchSize)
/** Empty again after each word. */
const queue = new NumberHeap()

/** For each token that begins at a place, where it ends. */
function mergePairs(bytes: string): Int32Array {
  const size = bytes.length
  const { ends, before, pairRanks } = size < scratchSize ? scratch : workSpace(size + 1)
  const rate = (at: number): void => {
    const middle = ends[at] as number
    const rank = middle < size ? (ranks.get(bytes.slice(at, ends[middle])) ?? none) : none
    pairRanks[at] = rank
    if (rank !== none) queue.push(rank * maxBytes + at)
  }
  for (let at = 0; at <= size; at++) {
    ends[at] = at + 1
    before[at] = at - 1
    pairRanks[at] = none
  }
  for (let at = 0; at < size - 1; at++) rate(at)
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const at = next % maxBytes
    // The pair has changed since it was queued.
    if (pairRanks[at] !== Math.floor(next / maxBytes)) continue
    const middle = ends[at] as number
    ends[at] = ends[middle] as number
    before[ends[at] as number] = at
    pairRanks[middle] = none
    rate(at)
    if (at > 0) rate(before[at] as number)
  }
  return ends
}
