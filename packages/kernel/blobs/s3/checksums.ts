// What tells whether bytes are those that were written. Requests are signed by SHA-256, which is kept beside; readers
// compare a CRC-32, which takes a fifth of the time and finds what a disk or a wire did to the bytes. Both lie in the
// same bucket as the bytes: who may change these may change either.
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

export interface Checksums {
  sha256: string
  crc32: string
}

export interface Checksum {
  update(chunk: Buffer): void
  /** In hexadecimal. */
  digest(): string
}

const sha256Length = 64
const crc32Length = 8

export class Crc32 implements Checksum {
  #value = 0

  update(chunk: Buffer): void {
    this.#value = crc32(chunk, this.#value)
  }

  digest(): string {
    return this.#value.toString(16).padStart(crc32Length, '0')
  }
}

export function sha256(): Checksum {
  const hash = createHash('sha256')
  return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest('hex') }
}

export function checksumsOf(bytes: Buffer): Checksums {
  const sums = { sha256: sha256(), crc32: new Crc32() }
  for (const sum of Object.values(sums)) sum.update(bytes)
  return { sha256: sums.sha256.digest(), crc32: sums.crc32.digest() }
}

export const isChecksum = (written: string): boolean =>
  written.length === crc32Length || written.length === sha256Length

/** Of the kind that was written: blobs of earlier versions have no CRC-32. */
export const checksumLike = (written: string): Checksum => (written.length === crc32Length ? new Crc32() : sha256())
