// A client that says exactly what a test writes.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export class RawClient {
  readonly #socket: Socket
  #heard = ''

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.on('data', (chunk: Buffer) => {
      this.#heard += chunk.toString('latin1')
    })
    this.#socket.on('error', () => undefined)
  }

  get heard(): string {
    return this.#heard
  }

  get isClosed(): boolean {
    return this.#socket.closed
  }

  say(...lines: string[]): void {
    this.#socket.write(lines.map((line) => `${line}\r\n`).join(''))
  }

  /** Waits for exactly this, and forgets it. */
  async hear(...lines: string[]): Promise<void> {
    const wanted = lines.map((line) => `${line}\r\n`).join('')
    while (this.#heard.length < wanted.length && !this.#socket.closed) {
      await Promise.race([once(this.#socket, 'data'), once(this.#socket, 'close')])
    }
    const heard = this.#heard.slice(0, wanted.length)
    this.#heard = this.#heard.slice(wanted.length)
    if (heard !== wanted) throw new Error(`Heard ${JSON.stringify(heard + this.#heard)}, not ${JSON.stringify(wanted)}`)
  }

  close(): void {
    this.#socket.destroy()
  }
}
