// What is on its way to a client. A client that reads slowly holds up what is made for it, and one that stops reading
// is cut.
import type { WebSocket } from 'ws'

/** Above this, nothing more is made and nothing more is read. */
const enoughBytes = 1024 * 1024
/** What may have been made in the meantime. */
const tooManyBytes = 64 * 1024 * 1024

export class Outbox {
  readonly #socket: WebSocket
  readonly #stallMs: number
  #pending = 0
  #waiting: (() => void)[] = []
  #stall: NodeJS.Timeout | undefined

  constructor(socket: WebSocket, stallSeconds: number) {
    this.#socket = socket
    this.#stallMs = stallSeconds * 1000
    socket.on('close', () => this.#release())
  }

  send(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    const bytes = Buffer.byteLength(text)
    this.#pending += bytes
    this.#socket.send(text, () => this.#sent(bytes))
    if (this.#pending <= enoughBytes) return
    if (this.#pending > tooManyBytes) this.#socket.terminate()
    this.#socket.pause()
    this.#stall ??= setTimeout(() => this.#socket.terminate(), this.#stallMs).unref()
  }

  ready(): Promise<void> {
    if (this.#pending <= enoughBytes) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #sent(bytes: number): void {
    this.#pending -= bytes
    if (this.#pending > enoughBytes) {
      // It still reads.
      this.#stall?.refresh()
      return
    }
    this.#release()
    if (this.#socket.isPaused) this.#socket.resume()
  }

  #release(): void {
    clearTimeout(this.#stall)
    this.#stall = undefined
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
