// The numbers of a tensor, whichever way its file writes them down.
import { fromHalf } from './half.ts'

type Bytes = Uint8Array

/** Reads `count` numbers, whole blocks of them, that begin at `at`. */
type Reader = (bytes: Bytes, at: number, count: number, to: Float32Array) => void

const half = (bytes: Bytes, at: number): number => fromHalf(bytes[at]!, bytes[at + 1]!)
const signed = (byte: number): number => (byte << 24) >> 24

const readers: Record<number, Reader> = {
  0: readFull,
  1: readHalves,
  2: (bytes, at, count, to) => readNibbles(bytes, at, count, to, { bytesBefore: 2, hasFifth: false, hasLeast: false }),
  3: (bytes, at, count, to) => readNibbles(bytes, at, count, to, { bytesBefore: 4, hasFifth: false, hasLeast: true }),
  6: (bytes, at, count, to) => readNibbles(bytes, at, count, to, { bytesBefore: 6, hasFifth: true, hasLeast: false }),
  7: (bytes, at, count, to) => readNibbles(bytes, at, count, to, { bytesBefore: 8, hasFifth: true, hasLeast: true }),
  8: readBytes,
  12: (bytes, at, count, to) => readScaled(bytes, at, count, to, false),
  13: (bytes, at, count, to) => readScaled(bytes, at, count, to, true),
  14: readSixBits,
  30: readShortened,
}

export const canDequantise = (kind: number): boolean => kind in readers

export function dequantise(kind: number, bytes: Bytes, at: number, count: number, to: Float32Array): void {
  readers[kind]!(bytes, at, count, to)
}

const numberBytes = new Uint8Array(4)
const numberView = new Float32Array(numberBytes.buffer)

function readFull(bytes: Bytes, at: number, count: number, to: Float32Array): void {
  for (let index = 0; index < count; index++) {
    for (let byte = 0; byte < 4; byte++) numberBytes[byte] = bytes[at + 4 * index + byte]!
    to[index] = numberView[0]!
  }
}

function readHalves(bytes: Bytes, at: number, count: number, to: Float32Array): void {
  for (let index = 0; index < count; index++) to[index] = half(bytes, at + 2 * index)
}

/** BF16: the first half of a number of four bytes. */
function readShortened(bytes: Bytes, at: number, count: number, to: Float32Array): void {
  numberBytes.fill(0)
  for (let index = 0; index < count; index++) {
    numberBytes[2] = bytes[at + 2 * index]!
    numberBytes[3] = bytes[at + 2 * index + 1]!
    to[index] = numberView[0]!
  }
}

/** Q8_0. */
function readBytes(bytes: Bytes, at: number, count: number, to: Float32Array): void {
  for (let index = 0; index < count; index += 32, at += 34) {
    const scale = half(bytes, at)
    for (let item = 0; item < 32; item++) to[index + item] = scale * signed(bytes[at + 2 + item]!)
  }
}

interface NibbleBlock {
  /** Scale, least value and fifth bits, as far as there are. */
  bytesBefore: number
  hasFifth: boolean
  hasLeast: boolean
}

/** Q4_0, Q4_1, Q5_0, Q5_1: 32 numbers of four bits, and perhaps a fifth bit of each elsewhere. */
function readNibbles(bytes: Bytes, at: number, count: number, to: Float32Array, block: NibbleBlock): void {
  const { bytesBefore, hasFifth, hasLeast } = block
  const middle = hasLeast ? 0 : hasFifth ? 16 : 8
  for (let index = 0; index < count; index += 32, at += bytesBefore + 16) {
    const scale = half(bytes, at)
    const least = hasLeast ? half(bytes, at + 2) : 0
    const fifthAt = at + bytesBefore - 4
    const fifth = (item: number): number => (hasFifth ? ((bytes[fifthAt + (item >> 3)]! >> (item & 7)) & 1) << 4 : 0)
    for (let item = 0; item < 16; item++) {
      const both = bytes[at + bytesBefore + item]!
      to[index + item] = scale * (((both & 15) | fifth(item)) - middle) + least
      to[index + item + 16] = scale * (((both >> 4) | fifth(item + 16)) - middle) + least
    }
  }
}

/** Q4_K and Q5_K: eight groups of 32 with scales and least values of six bits each. */
function readScaled(bytes: Bytes, at: number, count: number, to: Float32Array, hasFifth: boolean): void {
  const blockBytes = hasFifth ? 176 : 144
  for (let index = 0; index < count; index += 256, at += blockBytes) {
    const [scale, least] = [half(bytes, at), half(bytes, at + 2)]
    const scales = at + 4
    const fifths = at + 16
    const values = hasFifth ? at + 48 : at + 16
    for (let group = 0; group < 8; group++) {
      const factor = scale * sixBits(bytes, scales, group, 0)
      const offset = least * sixBits(bytes, scales, group, 4)
      const shift = group & 1 ? 4 : 0
      for (let item = 0; item < 32; item++) {
        const low = (bytes[values + 32 * (group >> 1) + item]! >> shift) & 15
        const high = hasFifth ? ((bytes[fifths + item]! >> group) & 1) << 4 : 0
        to[index + 32 * group + item] = factor * (low | high) - offset
      }
    }
  }
}

/** The groups' six-bit numbers: the first four whole, the others' upper bits beside those. */
function sixBits(bytes: Bytes, scales: number, group: number, from: 0 | 4): number {
  if (group < 4) return bytes[scales + group + from]! & 63
  const low = from === 0 ? bytes[scales + group + 4]! & 15 : bytes[scales + group + 4]! >> 4
  return low | ((bytes[scales + group - 4 + from]! >> 6) << 4)
}

/** Q6_K: sixteen groups of 16. */
function readSixBits(bytes: Bytes, at: number, count: number, to: Float32Array): void {
  for (let index = 0; index < count; index += 256, at += 210) {
    const scale = half(bytes, at + 208)
    for (let item = 0; item < 256; item++) {
      const [part, quarter, place] = [item >> 7, (item >> 5) & 3, item & 31]
      const low = (bytes[at + 64 * part + 32 * (quarter & 1) + place]! >> (quarter & 2 ? 4 : 0)) & 15
      const high = (bytes[at + 128 + 32 * part + place]! >> (2 * quarter)) & 3
      const group = signed(bytes[at + 192 + (item >> 4)]!)
      to[index + item] = scale * group * ((low | (high << 4)) - 32)
    }
  }
}
