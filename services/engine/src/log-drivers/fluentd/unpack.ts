// Reads MessagePack: what a receiver answers, and in tests what it received.
import type { EventTime } from './msgpack.ts'

export type Unpacked = string | number | boolean | null | Buffer | Unpacked[] | { [name: string]: Unpacked } | EventTime

interface UnpackedValue {
  value: Unpacked
  /** Where the next value begins. */
  end: number
}

/** More would be bytes that only pretend to be MessagePack. */
const maxDepth = 32

class Incomplete extends Error {}

/** The value that begins at `from`; undefined while its end is not there. */
export function unpack(bytes: Buffer, from = 0): UnpackedValue | undefined {
  const reader = new Reader(bytes, from)
  try {
    return { value: reader.value(0), end: reader.at }
  } catch (error) {
    if (error instanceof Incomplete) return undefined
    throw error
  }
}

class Reader {
  readonly #bytes: Buffer
  at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  value(depth: number): Unpacked {
    if (depth > maxDepth) throw new Error('this is no MessagePack: it goes too deep')
    const tag = this.#number(1)
    if (tag < 0x80) return tag
    if (tag < 0x90) return this.#map(tag & 0x0f, depth)
    if (tag < 0xa0) return this.#list(tag & 0x0f, depth)
    if (tag < 0xc0) return this.#take(tag & 0x1f).toString()
    if (tag >= 0xe0) return tag - 0x100
    return this.#tagged(tag, depth)
  }

  #tagged(tag: number, depth: number): Unpacked {
    if (tag === 0xc0) return null
    if (tag === 0xc2 || tag === 0xc3) return tag === 0xc3
    if (tag >= 0xc4 && tag <= 0xc6) return this.#take(this.#number(1 << (tag - 0xc4)))
    if (tag >= 0xcc && tag <= 0xce) return this.#number(1 << (tag - 0xcc))
    if (tag === 0xcf) return Number(this.#take(8).readBigUInt64BE())
    if (tag === 0xd7) return this.#time()
    if (tag >= 0xd9 && tag <= 0xdb) return this.#take(this.#number(1 << (tag - 0xd9))).toString()
    if (tag === 0xdc || tag === 0xdd) return this.#list(this.#number(tag === 0xdc ? 2 : 4), depth)
    if (tag === 0xde || tag === 0xdf) return this.#map(this.#number(tag === 0xde ? 2 : 4), depth)
    throw new Error(`this is no MessagePack that the Forward protocol uses: 0x${tag.toString(16)}`)
  }

  #time(): EventTime {
    const bytes = this.#take(9)
    if (bytes[0] !== 0) throw new Error(`the extension ${bytes[0]} is not known`)
    return { seconds: bytes.readUInt32BE(1), nanoseconds: bytes.readUInt32BE(5) }
  }

  #list(count: number, depth: number): Unpacked[] {
    const values: Unpacked[] = []
    for (let n = 0; n < count; n++) values.push(this.value(depth + 1))
    return values
  }

  #map(count: number, depth: number): { [name: string]: Unpacked } {
    const pairs: [string, Unpacked][] = []
    for (let n = 0; n < count; n++) pairs.push([String(this.value(depth + 1)), this.value(depth + 1)])
    return Object.fromEntries(pairs)
  }

  #number(width: number): number {
    return this.#take(width).readUIntBE(0, width)
  }

  #take(size: number): Buffer {
    const end = this.at + size
    if (end > this.#bytes.length) throw new Incomplete()
    const taken = this.#bytes.subarray(this.at, end)
    this.at = end
    return taken
  }
}
