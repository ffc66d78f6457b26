// The digests of a blob that was sent in parts lie in an object beside it: S3 takes no word about a large object after
// its bytes have come. Readers compare every part that they read from its beginning to its end.
import { type Checksum, type Checksums, checksumLike, isChecksum } from './checksums.ts'

/** What stands behind the name of the object. No key ends so. */
export const digestsSuffix = '.sha256'
/** With the object: how large its parts are, and so that their digests lie beside it. */
export const partBytesMark = 'part-bytes'

/** A line for a part; the last word of it is what readers compare. */
export const digestsText = (parts: readonly Checksums[]): Buffer =>
  Buffer.from(parts.map(({ sha256, crc32 }) => `${sha256} ${crc32}`).join('\n'))

export interface PartDigests {
  partBytes: number
  /** Of all parts together. */
  totalBytes: number
  digests: readonly string[]
}

/** Undefined where the text is not what was written for an object of this size. */
export function readDigests(text: string, partBytes: number, totalBytes: number): PartDigests | undefined {
  const digests = text.split('\n').map((line) => line.slice(line.lastIndexOf(' ') + 1))
  return digests.every(isChecksum) && digests.length === Math.ceil(totalBytes / partBytes)
    ? { partBytes, totalBytes, digests }
    : undefined
}

/** Compares bytes as they go by. */
export class PartCheck {
  readonly #parts: PartDigests
  #at: number
  /** Absent while the part under way was not seen from its beginning. */
  #sum: Checksum | undefined

  constructor(parts: PartDigests, start: number) {
    this.#parts = parts
    this.#at = start
    if (start % parts.partBytes === 0) this.#sum = this.#begin()
  }

  /** False: a part that ends in these bytes is another than was written. */
  isRight(chunk: Buffer): boolean {
    const { partBytes, totalBytes, digests } = this.#parts
    let rest = chunk
    while (rest.length > 0) {
      const number = Math.floor(this.#at / partBytes)
      const end = Math.min((number + 1) * partBytes, totalBytes)
      if (this.#at >= end) return false // more than there are
      const piece = rest.subarray(0, end - this.#at)
      rest = rest.subarray(piece.length)
      this.#at += piece.length
      this.#sum?.update(piece)
      if (this.#at < end) continue
      if (this.#sum !== undefined && this.#sum.digest() !== digests[number]) return false
      this.#sum = this.#begin()
    }
    return true
  }

  /** For the part that begins here. */
  #begin(): Checksum {
    const { partBytes, digests } = this.#parts
    return checksumLike(digests[this.#at / partBytes] ?? '')
  }
}
