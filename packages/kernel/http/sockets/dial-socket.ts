// A WebSocket to another server.
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'

export type ClientSocket = WebSocket

interface DialOptions {
  headers: Record<string, string>
  /** Until the server has agreed. */
  handshakeMs: number
  maxMessageBytes: number
  signal: AbortSignal
}

const maxRefusalBytes = 64 * 1024

/** The server answered, and refused. */
export class DialRefused extends Error {
  override readonly name = 'DialRefused'
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: string

  constructor({ statusCode = 0, headers }: IncomingMessage, body: string) {
    super(`The server refused the connection with status ${statusCode}.`)
    this.status = statusCode
    this.headers = headers
    this.body = body
  }
}

/** Open, and paused: nothing is lost until whoever gets it listens and resumes it. */
export async function dialSocket(url: string, options: DialOptions): Promise<ClientSocket> {
  const { headers, handshakeMs: handshakeTimeout, maxMessageBytes: maxPayload, signal } = options
  // With the first call: the library brings TLS and compression along.
  const { WebSocket } = await import('ws')
  signal.throwIfAborted()
  const socket = new WebSocket(url, { headers, handshakeTimeout, maxPayload, perMessageDeflate: false })
  const { promise, resolve, reject } = Promise.withResolvers<ClientSocket>()
  const leave = (): void => {
    reject(signal.reason)
    socket.terminate()
  }
  signal.addEventListener('abort', leave, { once: true })
  socket.on('error', reject)
  socket.on('unexpected-response', (_, response) => {
    readRefusal(response).then((body) => reject(new DialRefused(response, body)), reject)
  })
  socket.on('open', () => {
    socket.pause()
    resolve(socket)
  })
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

async function readRefusal(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of response) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > maxRefusalBytes) break
  }
  return Buffer.concat(pieces).toString()
}
