// What holding a term is worth to a chunk: BM25, for one block of chunks at a time.
import { countOf, placeOf, type WordBlock } from './word-block.ts'

/** How soon more of the same word tells nothing more, and how much a long text has to hold more to tell as much. */
const saturation = 1.2
const lengthShare = 0.75
/** So much may the usual length change before the peaks are looked for again. */
const peakStep = 1.05
/** Peaks are kept in 32 bits, and must not become less by it. */
const roundedUp = 1 + 1e-6

/** What a chunk of usual length gets that holds a term once, of what one can get that holds it ever so often. */
export const shareOfOnce = 1 / (saturation + 1)

/** Of what a term can be worth at most. Written the same wherever it is added up: the same chunk gets the same score. */
export const worthOf = (most: number, count: number, norm: number): number => (most * count) / (count + norm)

const normOf = (length: number, meanLength: number): number =>
  saturation * (1 - lengthShare + (lengthShare * length) / meanLength)

/** What the lengths of a block's chunks mean beside the usual one; kept until that changes. */
export function normsOf(block: WordBlock, meanLength: number): Float32Array {
  if (block.norms?.meanLength === meanLength) return block.norms.list
  const list = Float32Array.from(block.data.lengths, (length) => normOf(length, meanLength))
  block.norms = { meanLength, list }
  return list
}

/** No chunk of the block gets a greater share for the term at that place. */
export function peakOf(block: WordBlock, place: number, meanLength: number): number {
  // The longer texts usually are, the more each is worth: what holds for longer ones holds for these as well.
  const step = Math.ceil(Math.log(meanLength) / Math.log(peakStep))
  if (block.peaks?.step !== step) block.peaks = { step, list: new Float32Array(block.data.terms.length) }
  const { list } = block.peaks
  const known = list[place] as number
  if (known > 0) return known
  const { starts, postings, lengths } = block.data
  let peak = 0
  for (let at = starts[place] as number, end = starts[place + 1] as number; at < end; at++) {
    const posting = postings[at] as number
    const norm = normOf(lengths[placeOf(posting)] as number, peakStep ** step)
    peak = Math.max(peak, worthOf(1, countOf(posting), norm))
  }
  list[place] = peak * roundedUp
  return list[place] as number
}

/** Adds to `scores` what the term is worth to each chunk; `places` are those that had none before. Tells how many those are then. */
export function addWorth(
  { data: { starts, postings } }: WordBlock,
  place: number,
  most: number,
  norms: Float32Array,
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
    scores[chunk] = before + worthOf(most, count, norms[chunk] as number)
  }
  return held
}

/** Looking a chunk up takes so many times as long as reading the next posting. */
const postingsPerLookup = 12

/** The same for those chunks alone that have a score. */
export function addHeldWorth(
  block: WordBlock,
  place: number,
  most: number,
  norms: Float32Array,
  scores: Float64Array,
  places: Uint16Array,
  held: number,
): void {
  const { starts, postings } = block.data
  const [start, end] = [starts[place] as number, starts[place + 1] as number]
  if (held * postingsPerLookup < end - start) {
    for (let at = 0; at < held; at++) {
      const chunk = places[at] as number
      const count = block.countIn(place, chunk)
      scores[chunk] = (scores[chunk] as number) + worthOf(most, count, norms[chunk] as number)
    }
    return
  }
  for (let at = start; at < end; at++) {
    const posting = postings[at] as number
    const chunk = placeOf(posting)
    const before = scores[chunk] as number
    if (before > 0) scores[chunk] = before + worthOf(most, countOf(posting), norms[chunk] as number)
  }
}
