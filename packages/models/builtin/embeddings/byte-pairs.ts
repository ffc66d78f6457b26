// Byte-pair encoding over a table in memory that threads share: the pair whose joined bytes come first in the table is
// joined, again and again. A heap finds it, so the time does not grow with the square of the length.
import { shared } from './piece-tree.ts'

export interface TokenTable {
  /** The bytes of all tokens, one after the other. */
  bytes: Uint8Array
  /** Where each begins; one more for the end of the last. */
  starts: Uint32Array
  /** A hash table from bytes to tokens; 0 is a free place, else a token and one more. */
  places: Int32Array
}

/** In their order; a text where its bytes are one. */
export function makeTokenTable(tokens: readonly (string | readonly number[])[]): TokenTable {
  const sizeOf = (token: string | readonly number[]): number =>
    typeof token === 'string' ? Buffer.byteLength(token) : token.length
  const table: TokenTable = {
    bytes: shared(
      Uint8Array,
      tokens.reduce((sum, token) => sum + sizeOf(token), 0),
    ),
    starts: shared(Uint32Array, tokens.length + 1),
    places: shared(Int32Array, 2 ** Math.ceil(Math.log2(tokens.length * 1.5))),
  }
  const { bytes, starts, places } = table
  const writing = Buffer.from(bytes.buffer)
  for (const [token, content] of tokens.entries()) {
    const start = starts[token] ?? 0
    if (typeof content === 'string') writing.write(content, start)
    else bytes.set(content, start)
    const end = start + sizeOf(content)
    starts[token + 1] = end
    let place = hashOf(bytes, start, end) & (places.length - 1)
    while (places[place] !== 0) place = (place + 1) & (places.length - 1)
    places[place] = token + 1
  }
  return table
}

const none = -1
/** Bits of a heap's entry that tell where the pair is; those above tell the joined token. */
const whereSize = 2 ** 20

export class BytePairs {
  readonly #table: TokenTable
  #bytes = new Uint8Array(1_024)
  /** Of the part that begins at a byte: where it ends, which comes before. */
  #ends = new Int32Array(0)
  #befores = new Int32Array(0)
  #heap = new Float64Array(0)
  #heapSize = 0

  constructor(table: TokenTable) {
    this.#table = table
  }

  bytesOf(token: number): Uint8Array {
    return this.#table.bytes.subarray(this.#table.starts[token], this.#table.starts[token + 1])
  }

  /** How many tokens the text from one place to another has, which is one piece of it. */
  count(text: string, from: number, to: number): number {
    const length = this.#write(text, from, to)
    if (this.#find(0, length) !== none) return 1
    return this.#join(length)
  }

  /** As UTF-8; tells how many bytes there are. */
  #write(text: string, from: number, to: number): number {
    if (this.#bytes.length < 3 * (to - from)) this.#bytes = new Uint8Array(3 * (to - from))
    const bytes = this.#bytes
    let length = 0
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at)
      if (unit < 0x80) {
        bytes[length++] = unit
        continue
      }
      const rest = Buffer.from(text.slice(at, to))
      bytes.set(rest, length)
      return length + rest.length
    }
    return length
  }

  #find(from: number, to: number): number {
    const { bytes, starts, places } = this.#table
    const mask = places.length - 1
    let place = hashOf(this.#bytes, from, to) & mask
    for (;;) {
      const token = (places[place] as number) - 1
      if (token < 0) return none
      const start = starts[token] as number
      const length = (starts[token + 1] as number) - start
      let same = length === to - from ? 0 : -1
      while (same >= 0 && same < length) same = bytes[start + same] === this.#bytes[from + same] ? same + 1 : -1
      if (same === length) return token
      place = (place + 1) & mask
    }
  }

  /** How many parts are left when nothing can be joined any more. */
  #join(length: number): number {
    if (this.#ends.length <= length) {
      this.#ends = new Int32Array(2 * length)
      this.#befores = new Int32Array(2 * length)
      this.#heap = new Float64Array(6 * length)
    }
    const [ends, befores] = [this.#ends, this.#befores]
    for (let at = 0; at < length; at++) {
      ends[at] = at + 1
      befores[at] = at - 1
    }
    this.#heapSize = 0
    for (let at = 0; at < length - 1; at++) this.#offer(at, length)
    let parts = length
    while (this.#heapSize > 0) {
      const entry = this.#take()
      const at = entry % whereSize
      const middle = ends[at] as number
      // Joined with another since it was offered: what it would be now was offered then.
      if (middle === 0 || middle >= length) continue
      const end = ends[middle] as number
      if (this.#find(at, end) !== Math.floor(entry / whereSize)) continue
      ends[at] = end
      ends[middle] = 0
      if (end < length) befores[end] = at
      parts--
      this.#offer(at, length)
      const before = befores[at] as number
      if (before >= 0) this.#offer(before, length)
    }
    return parts
  }

  /** The pair of the part that begins here and the next. */
  #offer(at: number, length: number): void {
    const middle = this.#ends[at] as number
    if (middle >= length) return
    const token = this.#find(at, this.#ends[middle] as number)
    if (token === none) return
    const heap = this.#heap
    const entry = token * whereSize + at
    let place = this.#heapSize++
    while (place > 0) {
      const parent = (place - 1) >> 1
      if ((heap[parent] as number) <= entry) break
      heap[place] = heap[parent] as number
      place = parent
    }
    heap[place] = entry
  }

  #take(): number {
    const heap = this.#heap
    const least = heap[0] as number
    const last = heap[--this.#heapSize] as number
    const size = this.#heapSize
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= size) break
      if (child + 1 < size && (heap[child + 1] as number) < (heap[child] as number)) child++
      if ((heap[child] as number) >= last) break
      heap[place] = heap[child] as number
      place = child
    }
    heap[place] = last
    return least
  }
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193)
  return hash ^ (hash >>> 15)
}
