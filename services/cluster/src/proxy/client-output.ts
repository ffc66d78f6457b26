// What goes to a client. The socket is given a little at a time, so that it is known what has really left.
import type { Socket } from 'node:net'

/** A client that has ended, or was ended, and does not read its last words is left after this long. */
const lastWordsMs = 30_000

export class ClientOutput {
  readonly #socket: Socket
  readonly #drained: () => void
  #queue: Buffer[] = []
  #first = 0
  #queuedBytes = 0
  #movedAt = 0
  #isEnding = false

  /** `drained`: nothing waits any more. */
  constructor(socket: Socket, drained: () => void) {
    this.#socket = socket
    this.#drained = drained
    socket.on('drain', () => this.#move())
  }

  get waitingBytes(): number {
    return this.#queuedBytes + this.#socket.writableLength
  }

  /** Something waits for the client to read. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain || this.#queuedBytes > 0
  }

  /** Since the client has read anything, while something waits. */
  get silentMs(): number {
    return this.isFull ? performance.now() - this.#movedAt : 0
  }

  /** False when it waits. */
  write(bytes: Buffer): boolean {
    if (!this.isFull) {
      if (this.#socket.write(bytes)) return true
      this.#movedAt = performance.now()
      return false
    }
    this.#queue.push(bytes)
    this.#queuedBytes += bytes.length
    return false
  }

  /** After all that waits. */
  end(lastWords?: Buffer): void {
    if (lastWords !== undefined) this.write(lastWords)
    this.#isEnding = true
    if (this.#queuedBytes === 0) this.#endSocket()
    const timer = setInterval(() => {
      if (this.silentMs > lastWordsMs) this.#socket.destroy()
      if (this.#socket.destroyed) clearInterval(timer)
    }, lastWordsMs / 2).unref()
  }

  #move(): void {
    this.#movedAt = performance.now()
    while (this.#queuedBytes > 0 && !this.#socket.writableNeedDrain) {
      const next = this.#queue[this.#first++] as Buffer
      this.#queuedBytes -= next.length
      this.#socket.write(next)
    }
    if (this.#queuedBytes > 0) return
    this.#queue = []
    this.#first = 0
    if (this.#isEnding) this.#endSocket()
    else if (!this.#socket.writableNeedDrain) this.#drained()
  }

  #endSocket(): void {
    this.#socket.end(() => this.#socket.destroy())
  }
}
