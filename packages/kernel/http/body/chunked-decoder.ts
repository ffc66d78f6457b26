// Chunked transfer encoding (RFC 9112, section 7.1), for bodies node does not parse for us.
import { BodyCut } from './body-bytes.ts'
import type { BodyDecoder } from './body-decoder.ts'

const maxLineBytes = 4096
const maxTrailerLines = 100

export class ChunkedDecoder implements BodyDecoder {
  #state: 'size' | 'data' | 'data-end' | 'trailer' = 'size'
  #left = 0
  #trailers = 0
  #pending: Buffer = Buffer.alloc(0)

  take(chunk: Buffer): { body: Buffer[]; rest: Buffer | undefined } {
    const body: Buffer[] = []
    let bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    this.#pending = Buffer.alloc(0)
    while (bytes.length > 0) {
      if (this.#state === 'data') {
        const data = bytes.subarray(0, this.#left)
        body.push(data)
        bytes = bytes.subarray(data.length)
        this.#left -= data.length
        if (this.#left === 0) this.#state = 'data-end'
        continue
      }
      const end = bytes.indexOf('\r\n')
      if (end < 0) return this.#wait(body, bytes)
      const isLast = this.#line(bytes.toString('latin1', 0, end))
      bytes = bytes.subarray(end + 2)
      if (isLast) return { body, rest: bytes }
    }
    return { body, rest: undefined }
  }

  #wait(body: Buffer[], bytes: Buffer): { body: Buffer[]; rest: undefined } {
    if (bytes.length > maxLineBytes) throw new BodyCut()
    this.#pending = bytes
    return { body, rest: undefined }
  }

  /** True after the line that ends the body. */
  #line(line: string): boolean {
    if (this.#state === 'trailer') {
      if (++this.#trailers > maxTrailerLines) throw new BodyCut()
      return line === ''
    }
    if (this.#state === 'data-end') {
      if (line !== '') throw new BodyCut()
      this.#state = 'size'
      return false
    }
    const [, size] = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i.exec(line) ?? []
    if (size === undefined) throw new BodyCut()
    this.#left = Number.parseInt(size, 16)
    this.#state = this.#left === 0 ? 'trailer' : 'data'
    return false
  }
}
