// Vectors as the numbers they are and as the bytes a database keeps.
import { crc32 } from 'node:zlib'

/** A copy, as bytes; every machine Atoll runs on puts the lowest byte first. */
export const toBytes = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength).slice()

/** Puts the numbers of a row at place `row` of a matrix. Byte by byte, because rows may begin at odd addresses. */
export function place(bytes: Uint8Array, matrix: Float32Array, row: number): void {
  new Uint8Array(matrix.buffer, matrix.byteOffset + row * bytes.byteLength, bytes.byteLength).set(bytes)
}

/** The bytes themselves where their address allows it; a copy where not. */
export function fromBytes(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset } = bytes
  if (byteOffset % Float32Array.BYTES_PER_ELEMENT === 0) {
    return new Float32Array(buffer, byteOffset, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT)
  }
  const vector = new Float32Array(bytes.byteLength / Float32Array.BYTES_PER_ELEMENT)
  place(bytes, vector, 0)
  return vector
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number)
  return sum
}

/** How far the length may be from 1 by rounding alone. */
const roundingError = 1e-4

/** Of length 1, or all zero when there is no direction at all; never changes the one given. */
export function unit(vector: Float32Array): Float32Array {
  const square = dot(vector, vector)
  if (!Number.isFinite(square)) throw new Error('a vector holds something that is not a number')
  if (square === 0 || Math.abs(square - 1) < roundingError) return vector
  const factor = 1 / Math.sqrt(square)
  return vector.map((value) => value * factor)
}

/** A checksum, the same for a vector and its bytes. */
export const sumOf = (vector: Float32Array | Uint8Array): number =>
  crc32(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
