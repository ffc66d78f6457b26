// MessagePack, as much of it as the Forward protocol needs.

/** Seconds and nanoseconds: extension 0 of the Forward protocol. */
export interface EventTime {
  seconds: number
  nanoseconds: number
}

const firstBytes = 4_096

/** Writes values one after the other into one buffer that grows. */
export class Packer {
  #bytes = Buffer.allocUnsafe(firstBytes)
  #length = 0

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** How many values follow as one list. */
  list(count: number): this {
    return this.#header(count, 0x90, 15, [0, 0xdc, 0xdd])
  }

  /** How many pairs follow. */
  map(count: number): this {
    return this.#header(count, 0x80, 15, [0, 0xde, 0xdf])
  }

  text(value: string): this {
    const size = Buffer.byteLength(value)
    this.#header(size, 0xa0, 31, [0xd9, 0xda, 0xdb])
    const at = this.#grow(size)
    this.#bytes.write(value, at, 'utf8')
    return this
  }

  /** A whole number from 0 on. */
  count(value: number): this {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no whole number from 0 on`)
    if (value < 0x80) this.#byte(value)
    else if (value < 2 ** 32) this.#tagged(value < 0x100 ? 0xcc : value < 0x10000 ? 0xcd : 0xce, value)
    else {
      const at = this.#grow(9)
      this.#bytes[at] = 0xcf
      this.#bytes.writeBigUInt64BE(BigInt(value), at + 1)
    }
    return this
  }

  /** What another packer has made. */
  packed(bytes: Buffer): this {
    const at = this.#grow(bytes.length)
    bytes.copy(this.#bytes, at)
    return this
  }

  time({ seconds, nanoseconds }: EventTime): this {
    const at = this.#grow(10)
    this.#bytes[at] = 0xd7
    this.#bytes[at + 1] = 0
    this.#bytes.writeUInt32BE(seconds, at + 2)
    this.#bytes.writeUInt32BE(nanoseconds, at + 6)
    return this
  }

  /** Short ones in the byte that says what it is; longer ones behind a byte for their width. */
  #header(size: number, short: number, shortMax: number, [one, two, four]: [number, number, number]): this {
    if (size <= shortMax) this.#byte(short | size)
    else this.#tagged(size < 0x100 && one > 0 ? one : size < 0x10000 ? two : four, size)
    return this
  }

  #byte(value: number): void {
    // Growing may put another buffer in the place of this one.
    const at = this.#grow(1)
    this.#bytes[at] = value
  }

  #tagged(tag: number, value: number): void {
    const width = widths[tag] ?? 4
    const at = this.#grow(1 + width)
    this.#bytes[at] = tag
    this.#bytes.writeUIntBE(value, at + 1, width)
  }

  #grow(size: number): number {
    const at = this.#length
    this.#length += size
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, at)
      this.#bytes = larger
    }
    return at
  }
}

const widths: Record<number, number> = {
  ...{ 204: 1, 205: 2, 206: 4 },
  ...{ 217: 1, 218: 2, 219: 4 },
  ...{ 220: 2, 221: 4, 222: 2, 223: 4 },
}
