// Output of processes without a terminal goes in frames: one byte names the stream, four the length, then the bytes.
import { Transform, type TransformCallback } from 'node:stream'

const headerBytes = 8
const lengthAt = 4
export const stdoutStream = 1
export const stderrStream = 2

/** The header of a frame with `length` bytes. */
export function frameHeader(stream: number, length: number): Buffer {
  const header = Buffer.alloc(headerBytes)
  header[0] = stream
  header.writeUInt32BE(length, lengthAt)
  return header
}

/** Puts everything in frames of one stream. */
export class FrameWriter extends Transform {
  readonly #stream: number

  constructor(stream: number) {
    super()
    this.#stream = stream
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.push(frameHeader(this.#stream, chunk.length))
    done(null, chunk)
  }
}

/** Lets frames of the wanted streams pass as they are. Only headers are looked at: bytes are not copied. */
export class FrameFilter extends Transform {
  readonly #wanted: ReadonlySet<number>
  readonly #withHeaders: boolean
  #header = Buffer.alloc(headerBytes)
  #headerLength = 0
  /** Of the payload that is passing or being skipped. */
  #left = 0
  #passes = false

  constructor(wanted: Iterable<number>, { withHeaders = true } = {}) {
    super()
    this.#wanted = new Set(wanted)
    this.#withHeaders = withHeaders
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let at = 0
    while (at < chunk.length) at = this.#left > 0 ? this.#payload(chunk, at) : this.#head(chunk, at)
    done()
  }

  #payload(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#left)
    if (this.#passes) this.push(chunk.subarray(at, end))
    this.#left -= end - at
    return end
  }

  #head(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + headerBytes - this.#headerLength)
    chunk.copy(this.#header, this.#headerLength, at, end)
    this.#headerLength += end - at
    if (this.#headerLength < headerBytes) return end
    this.#headerLength = 0
    this.#left = this.#header.readUInt32BE(lengthAt)
    this.#passes = this.#wanted.has(this.#header[0] ?? 0)
    if (this.#passes && this.#withHeaders) this.push(Buffer.from(this.#header))
    return end
  }
}
