// The client's side of a connection that left HTTP.
import type { Socket } from 'node:net'

export interface Frame {
  stream: number
  text: string
}

export class Hijacked {
  readonly socket: Socket
  head = ''
  body = Buffer.alloc(0)
  #wake = (): void => {}

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    for (const event of ['data', 'end', 'close']) socket.on(event, () => this.#wake())
  }

  /** Sends the request and waits for the head of the answer. */
  static async open(
    socket: Socket,
    path: string,
    { method = 'POST', isUpgrade = true, body }: { method?: string; isUpgrade?: boolean; body?: unknown } = {},
  ): Promise<Hijacked> {
    const hijacked = new Hijacked(socket)
    const text = body === undefined ? '' : JSON.stringify(body)
    const upgrade = isUpgrade ? 'Connection: Upgrade\r\nUpgrade: tcp\r\n' : ''
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\n${upgrade}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    )
    await hijacked.until(() => hijacked.head !== '')
    return hijacked
  }

  get text(): string {
    return this.body.toString()
  }

  get frames(): Frame[] {
    const frames: Frame[] = []
    for (let at = 0; at + 8 <= this.body.length; ) {
      const end = at + 8 + this.body.readUInt32BE(at + 4)
      frames.push({ stream: this.body[at] as number, text: this.body.toString('utf8', at + 8, end) })
      at = end
    }
    return frames
  }

  /** All that came on one stream. */
  output(stream: number): string {
    return this.frames
      .filter((frame) => frame.stream === stream)
      .map(({ text }) => text)
      .join('')
  }

  async until(isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      if (this.socket.readableEnded || this.socket.destroyed) throw new Error(`closed: ${this.head}${this.text}`)
      await this.#happened()
    }
  }

  async ended(): Promise<void> {
    while (!this.socket.readableEnded && !this.socket.destroyed) {
      await this.#happened()
    }
    this.socket.destroy()
  }

  #happened(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #take(chunk: Buffer): void {
    this.body = Buffer.concat([this.body, chunk])
    const end = this.head === '' ? this.body.indexOf('\r\n\r\n') : -1
    if (end < 0) return
    this.head = this.body.toString('utf8', 0, end + 4)
    this.body = this.body.subarray(end + 4)
  }
}
