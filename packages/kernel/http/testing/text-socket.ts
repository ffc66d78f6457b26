// A client that speaks raw bytes, for tests of what no HTTP library would send.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export class TextSocket {
  readonly socket: Socket
  text = ''

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk) => {
      this.text += chunk
    })
    socket.on('error', () => {})
  }

  static tcp(port: number | undefined): TextSocket {
    return new TextSocket(connect({ host: '127.0.0.1', port: port ?? 0, allowHalfOpen: true }))
  }

  write(text: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.socket.write(text, () => resolve()))
  }

  /** Everything received so far, once it includes `enough`; it is then forgotten. */
  async until(enough: string): Promise<string> {
    while (!this.text.includes(enough)) {
      if (this.socket.readableEnded || this.socket.destroyed) throw new Error(`Closed before '${enough}': ${this.text}`)
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'end'), once(this.socket, 'close')])
    }
    const { text } = this
    this.text = ''
    return text
  }

  /** Everything up to the end of the server's side. */
  async rest(): Promise<string> {
    while (!this.socket.readableEnded && !this.socket.destroyed) {
      await Promise.race([once(this.socket, 'end'), once(this.socket, 'close')])
    }
    const { text } = this
    this.text = ''
    return text
  }
}
