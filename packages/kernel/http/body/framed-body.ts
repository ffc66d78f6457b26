// The body of a request whose connection already left node's HTTP server: exactly its bytes, and not one more.
import { type Duplex, Readable } from 'node:stream'
import { BodyCut } from './body-bytes.ts'
import type { BodyDecoder } from './body-decoder.ts'
import { ChunkedDecoder } from './chunked-decoder.ts'

const emptyEnd = '0\r\n\r\n'

class LengthDecoder implements BodyDecoder {
  #left: number

  constructor(length: number) {
    this.#left = length
  }

  take(chunk: Buffer) {
    const body = chunk.subarray(0, this.#left)
    this.#left -= body.length
    return { body: [body], rest: this.#left === 0 ? chunk.subarray(body.length) : undefined }
  }
}

export function framedBody(connection: Duplex, headers: NodeJS.Dict<string | string[]>): Readable {
  const isChunked = String(headers['transfer-encoding'] ?? '').toLowerCase() === 'chunked'
  const length = Number(headers['content-length'] ?? 0)
  if (!isChunked && length === 0) return Readable.from([])
  return new FramedBody(connection, isChunked ? new ChunkedDecoder() : new LengthDecoder(length))
}

export class FramedBody extends Readable {
  readonly #connection: Duplex
  readonly #decoder: BodyDecoder
  #isOpen = false

  constructor(connection: Duplex, decoder: BodyDecoder) {
    super()
    this.#connection = connection
    this.#decoder = decoder
  }

  override _read(): void {
    if (!this.#isOpen) {
      this.#isOpen = true
      this.#connection.on('readable', this.#pull).on('close', this.#cut).on('end', this.#cut)
    }
    this.#pull()
  }

  /**
   * For a body that nobody reads before others take the connection. Some clients (docker-modem) mark an upgrade as
   * chunked and end that body at once: this end is still HTTP's. Others never end it and send their bytes as they are,
   * so nothing waits for it.
   */
  dropEmpty(): void {
    if (!(this.#decoder instanceof ChunkedDecoder)) return
    const start: Buffer | null = this.#connection.read(emptyEnd.length)
    if (start !== null && start.toString('latin1') !== emptyEnd) this.#connection.unshift(start)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#release()
    done(error)
  }

  readonly #pull = (): void => {
    for (let chunk = this.#connection.read(); chunk !== null; chunk = this.#connection.read()) {
      if (!this.#take(chunk)) return
    }
  }

  /** False when nothing more is to be read for now. */
  #take(chunk: Buffer): boolean {
    try {
      const { body, rest } = this.#decoder.take(chunk)
      const wanted = body.map((part) => part.length === 0 || this.push(part)).every(Boolean)
      if (rest === undefined) return wanted
      this.#release()
      if (rest.length > 0) this.#connection.unshift(rest)
      this.push(null)
    } catch (error) {
      this.destroy(error instanceof Error ? error : new BodyCut())
    }
    return false
  }

  readonly #cut = (): void => {
    this.destroy(new BodyCut())
  }

  #release(): void {
    this.#connection.off('readable', this.#pull).off('close', this.#cut).off('end', this.#cut)
  }
}
