// Several blobs as one stream: opened one after the other, each only when the one before it has been read.
import { finished, Readable } from 'node:stream'
import type { BlobStore, ByteRange, StoredBlob } from './blobs.ts'

/** A stretch of one blob. */
export interface Slice {
  key: string
  range: ByteRange
}

/** The stretches that hold `range` of the whole; a range that reaches beyond the end is cut there. */
export function slicesOf(segments: readonly StoredBlob[], range: ByteRange | undefined): Slice[] {
  if (range) assertRange(range)
  const { start, end } = range ?? { start: 0, end: Number.POSITIVE_INFINITY }
  const slices: Slice[] = []
  let offset = 0
  for (const { key, bytes } of segments) {
    const from = Math.max(start - offset, 0)
    const to = Math.min(end - offset, bytes - 1)
    if (from <= to) slices.push({ key, range: { start: from, end: to } })
    offset += bytes
  }
  return slices
}

function assertRange({ start, end }: ByteRange): void {
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start) return
  throw new RangeError(`Not a range of bytes: ${start} to ${end}`)
}

export class SegmentReader extends Readable {
  readonly #blobs: BlobStore
  readonly #slices: Iterator<Slice>
  readonly #closed: () => void
  #source: Readable | undefined
  #opening = false

  constructor(blobs: BlobStore, slices: readonly Slice[], closed: () => void) {
    super()
    this.#blobs = blobs
    this.#slices = slices.values()
    this.#closed = closed
  }

  override _read(): void {
    if (this.#source) this.#source.resume()
    else if (!this.#opening) this.#openNext().catch((error) => this.destroy(error))
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#source?.destroy()
    this.#closed()
    done(error)
  }

  async #openNext(): Promise<void> {
    const { value: slice, done } = this.#slices.next()
    if (done) {
      this.push(null)
      return
    }
    this.#opening = true
    const source = await this.#blobs.read(slice.key, slice.range)
    this.#opening = false
    if (this.destroyed) source.destroy()
    else this.#follow(source, slice)
  }

  #follow(source: Readable, { key, range }: Slice): void {
    this.#source = source
    let left = range.end - range.start + 1
    source.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (!this.push(chunk)) source.pause()
    })
    finished(source, (error) => {
      this.#source = undefined
      if (this.destroyed) return
      // A blob that lost bytes must not pass for a shorter file.
      if (error || left !== 0) this.destroy(error ?? new Error(`The blob ${key} is ${left} bytes short.`))
      else this._read()
    })
  }
}
