// A client that says exactly what a test writes.
import { connect, type Socket } from 'node:net'

export class RawClient {
  readonly #socket: Socket
  #localAddress = ''
  #heard = ''
  #bytesPerSecond = Number.POSITIVE_INFINITY
  #wake: () => void = () => undefined

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    this.#socket.on('connect', () => {
      this.#localAddress = `${this.#socket.localAddress}:${this.#socket.localPort}`
    })
    this.#socket.on('end', () => this.#socket.end())
    this.#socket.on('data', (chunk: Buffer) => {
      this.#heard += chunk.toString('latin1')
      this.#rest((chunk.length / this.#bytesPerSecond) * 1000)
      this.#wake()
    })
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => this.#wake())
  }

  get heard(): string {
    return this.#heard
  }

  /** As the other side sees it. */
  get address(): string {
    return this.#localAddress
  }

  get isClosed(): boolean {
    return this.#socket.closed
  }

  say(...lines: string[]): void {
    this.#socket.write(lines.map((line) => `${line}\r\n`).join(''))
  }

  sayExactly(bytes: string): void {
    this.#socket.write(bytes, 'latin1')
  }

  /** Lines, in writes that end anywhere. */
  sayInPieces(seed: number, lines: readonly string[]): void {
    const bytes = Buffer.from(lines.map((line) => `${line}\r\n`).join(''), 'latin1')
    const cut = (seed * 7919) % bytes.length
    this.#socket.write(bytes.subarray(0, cut))
    setImmediate(() => this.#socket.write(bytes.subarray(cut)))
  }

  /** Reads nothing until `resume`. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** From now on it reads no faster. */
  readAt(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond
  }

  #rest(milliseconds: number): void {
    if (milliseconds === 0) return
    this.#socket.pause()
    setTimeout(() => this.#socket.resume(), milliseconds)
  }

  /** Waits for exactly this, and forgets it. */
  async hear(...lines: string[]): Promise<void> {
    const wanted = lines.map((line) => `${line}\r\n`).join('')
    while (this.#heard.length < wanted.length && !this.#socket.closed) {
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    const heard = this.#heard.slice(0, wanted.length)
    this.#heard = this.#heard.slice(wanted.length)
    if (heard !== wanted) throw new Error(`Heard ${JSON.stringify(heard + this.#heard)}, not ${JSON.stringify(wanted)}`)
  }

  /** It says no more, and goes on listening. */
  end(): void {
    this.#socket.end()
  }

  close(): void {
    this.#socket.destroy()
  }
}
