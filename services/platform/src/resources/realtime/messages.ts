// The messages of a socket, one after the other, in the order they came.
import type { WebSocket } from 'ws'

export interface Message {
  data: Buffer
  isBinary: boolean
}

export class Messages {
  readonly #socket: WebSocket
  readonly #take: (message: Message) => Promise<void>
  readonly #waiting: Message[] = []
  #isBusy = false

  /** `take` never fails. */
  constructor(socket: WebSocket, take: (message: Message) => Promise<void>) {
    this.#socket = socket
    this.#take = take
    socket.on('message', (data, isBinary) => this.#receive({ data: data as Buffer, isBinary }))
    socket.on('close', () => {
      this.#waiting.length = 0
    })
  }

  #receive(message: Message): void {
    this.#waiting.push(message)
    if (this.#isBusy) {
      // What comes while a large one is read waits in the sender's own buffers.
      this.#socket.pause()
      return
    }
    this.#isBusy = true
    void this.#work()
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await this.#take(next)
    this.#isBusy = false
    if (this.#socket.isPaused && this.#socket.readyState === this.#socket.OPEN) this.#socket.resume()
  }
}
