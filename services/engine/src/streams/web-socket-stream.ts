// A WebSocket as a stream of bytes: what is written goes out in messages, what comes in messages is read.
import { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

const normalClosure = 1000

export class WebSocketStream extends Duplex {
  readonly #socket: WebSocket
  readonly #isText: boolean
  readonly #decoder = new TextDecoder()

  /** `isText`: messages are sent as text (bytes that are none are replaced), for callers that know no others. */
  constructor(socket: WebSocket, { isText }: { isText: boolean }) {
    super()
    this.#socket = socket
    this.#isText = isText
    socket.on('message', (data: Buffer | ArrayBuffer | Buffer[]) => {
      if (!this.push(asBuffer(data))) socket.pause()
    })
    socket.once('close', () => {
      this.push(null)
      this.destroy()
    })
    socket.once('error', () => this.destroy())
  }

  override _read(): void {
    if (this.#socket.isPaused) this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const message = this.#isText ? this.#decoder.decode(chunk, { stream: true }) : chunk
    if (message.length === 0) done()
    else this.#socket.send(message, { binary: !this.#isText }, (error) => done(error))
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.close(normalClosure)
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const { CLOSED, CLOSING, readyState } = this.#socket
    if (readyState !== CLOSED && readyState !== CLOSING) this.#socket.close(normalClosure)
    done(error)
  }
}

function asBuffer(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}
