// The words of a chunk as a row keeps them: how long the text is, and how often it holds which term. A term is kept as
// the number its letters make: two terms with one number are so rare that a wrong chunk now and then does no harm.
import { tokensOf, type Word, wordsIn } from './words.ts'

/** How words are cut: a change gets a new number, and bags of older ones are made anew from their texts. */
export const bagFormat = 1

const headBytes = 4
const bytesPerTerm = 5
/** What a posting has room for; more often tells nothing more. */
export const maxCount = 63
const maxLength = 65_535
/** The words of a heading count as if they stood in the text so often. */
const headingWeight = 2

export interface Bag {
  /** In words; common ones are not counted. */
  length: number
  /** Growing. */
  terms: Uint32Array
  /** How often each is there. */
  counts: Uint8Array
}

interface Token {
  terms: readonly number[]
  length: number
}

const maxRemembered = 50_000
const remembered = new Map<string, Token>()

function tokenOf(letters: string): Token {
  const known = remembered.get(letters)
  if (known !== undefined) return known
  const words: Word[] = wordsIn(letters)
  const terms = words.flatMap((word) => word.terms.map(termOf))
  const token = { terms, length: words.reduce((sum, { length }) => sum + length, 0) }
  if (remembered.size >= maxRemembered) remembered.clear()
  remembered.set(letters, token)
  return token
}

export function bagOf(text: string, heading: string): Uint8Array {
  const found: number[] = []
  let length = 0
  for (const letters of tokensOf(text)) {
    const token = tokenOf(letters)
    length += token.length
    for (const term of token.terms) found.push(term)
  }
  for (const letters of tokensOf(heading)) {
    const token = tokenOf(letters)
    length += token.length
    for (const term of token.terms) for (let time = 0; time < headingWeight; time++) found.push(term)
  }
  return packed(Uint32Array.from(found).sort(), length)
}

/** Version, an empty byte, the length; the terms; their counts. The lowest byte comes first. */
function packed(sorted: Uint32Array, length: number): Uint8Array {
  let distinct = 0
  for (let at = 0; at < sorted.length; at++) if (at === 0 || sorted[at] !== sorted[at - 1]) distinct++
  const bytes = new Uint8Array(headBytes + distinct * bytesPerTerm)
  const terms = new Uint32Array(bytes.buffer, headBytes, distinct)
  const counts = bytes.subarray(headBytes + distinct * 4)
  bytes[0] = bagFormat
  new DataView(bytes.buffer).setUint16(2, Math.min(maxLength, length), true)
  let place = -1
  for (let at = 0; at < sorted.length; at++) {
    if (at === 0 || sorted[at] !== sorted[at - 1]) terms[++place] = sorted[at] as number
    counts[place] = Math.min(maxCount, (counts[place] as number) + 1)
  }
  return bytes
}

export function readBag(bytes: Uint8Array): Bag {
  const distinct = Math.floor(Math.max(0, bytes.byteLength - headBytes) / bytesPerTerm)
  // A copy: the terms may lie at an odd address.
  const copy = bytes.slice()
  return {
    length: copy.byteLength < headBytes ? 0 : new DataView(copy.buffer).getUint16(2, true),
    terms: distinct === 0 ? new Uint32Array() : new Uint32Array(copy.buffer, headBytes, distinct),
    counts: copy.subarray(headBytes + distinct * 4, headBytes + distinct * bytesPerTerm),
  }
}

/** Any good spread over 32 bits will do, but it is stored: it must stay as it is. */
export function termOf(letters: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < letters.length; at++) hash = Math.imul(hash ^ letters.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
