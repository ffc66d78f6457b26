// Ogg pages around Opus packets (RFC 3533, RFC 7845), written as the packets come.
const maxSegments = 255
const segmentBytes = 255
/** Opus counts in samples of 48,000 a second. */
const ticksPerSecond = 48_000
const beginning = 2
const end = 4

const checksums = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte << 24
  for (let bit = 0; bit < 8; bit++) rest = rest & 0x80000000 ? (rest << 1) ^ 0x04c11db7 : rest << 1
  return rest >>> 0
})

export class OpusPages {
  readonly #serial: number
  #page = 0
  #ticks = 0
  #waiting: Uint8Array[] = []
  #segments = 0

  constructor(serial: number) {
    this.#serial = serial
  }

  /** `skip`: samples at 48,000 a second that the encoder put before the first. */
  start(rate: number, skip: number): Uint8Array {
    const head = Buffer.alloc(19)
    head.write('OpusHead', 'latin1')
    head.writeUInt8(1, 8)
    head.writeUInt8(1, 9)
    head.writeUInt16LE(skip, 10)
    head.writeUInt32LE(rate, 12)
    const vendor = 'atoll'
    const tags = Buffer.alloc(16 + vendor.length)
    tags.write('OpusTags', 'latin1')
    tags.writeUInt32LE(vendor.length, 8)
    tags.write(vendor, 12, 'latin1')
    return Buffer.concat([this.#write([head], beginning), this.#write([tags], 0)])
  }

  /** Pages come when they are full, or on `flush`. */
  add(packet: Uint8Array, seconds: number): Uint8Array {
    const segments = Math.floor(packet.length / segmentBytes) + 1
    const full = this.#segments + segments > maxSegments ? this.flush() : new Uint8Array(0)
    this.#waiting.push(packet)
    this.#segments += segments
    this.#ticks += Math.round(seconds * ticksPerSecond)
    return full
  }

  flush(isEnd = false): Uint8Array {
    if (this.#waiting.length === 0 && !isEnd) return new Uint8Array(0)
    const page = this.#write(this.#waiting, isEnd ? end : 0)
    this.#waiting = []
    this.#segments = 0
    return page
  }

  #write(packets: readonly Uint8Array[], kind: number): Uint8Array {
    const lacing = packets.flatMap(({ length }) => [
      ...Array<number>(Math.floor(length / segmentBytes)).fill(segmentBytes),
      length % segmentBytes,
    ])
    const head = Buffer.alloc(27)
    head.write('OggS', 'latin1')
    head.writeUInt8(kind, 5)
    head.writeBigUInt64LE(BigInt(this.#ticks), 6)
    head.writeUInt32LE(this.#serial, 14)
    head.writeUInt32LE(this.#page++, 18)
    head.writeUInt8(lacing.length, 26)
    const page = Buffer.concat([head, Uint8Array.from(lacing), ...packets])
    page.writeUInt32LE(checksumOf(page), 22)
    return page
  }
}

function checksumOf(page: Uint8Array): number {
  let sum = 0
  for (const byte of page) sum = ((sum << 8) ^ (checksums[((sum >>> 24) ^ byte) & 0xff] as number)) >>> 0
  return sum
}
