// Joins a WebSocket with a connection that another server of this machine lets go of (`Upgrade: tcp`): browsers can open
// the one and not the other. Bytes go both ways as they are; who reads slowly holds up who writes.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import { http } from '../server/node-http.ts'
import { cutWhenOver, type Rights } from './cut-when-over.ts'

interface Bridged extends Rights {
  connect(): Duplex
  /** Asked with POST. */
  path: string
  body: unknown
  /** Written to the other side when the browser leaves. */
  farewell?: string
  /** Told the status when the other side lets nobody in, before the browser hears of it: 502 where it does not answer. */
  refused?(status: number): Promise<void>
}

const badGateway = 502
const normal = 1000
const failed = 1011
const maxWaitingBytes = 1024 * 1024
const maxRefusalBytes = 4 * 1024
/** A reason of a close frame has no room for more. */
const maxReasonBytes = 120

export function bridge(socket: WebSocket, { connect, path, body, refused, ...rest }: Bridged): void {
  socket.pause()
  const text = JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'Upgrade',
    upgrade: 'tcp',
  }
  const asked = http.request({ createConnection: connect, path, method: 'POST', headers })
  let isOver = false
  const refuse = async (status: number, reason: string): Promise<void> => {
    if (isOver) return
    isOver = true
    try {
      await refused?.(status)
      end(socket, failed, reason)
    } catch {
      socket.terminate()
    }
  }
  asked.on('error', () => void refuse(badGateway, 'The other service does not answer.'))
  asked.on('response', (response) => {
    const tell = (reason: string) => refuse(response.statusCode ?? badGateway, reason)
    void reasonOf(response).then(tell, () => tell('The other service refused.'))
  })
  const leave = () => {
    isOver = true
    asked.destroy()
  }
  asked.on('upgrade', (_response, connection, head) => {
    isOver = true
    socket.off('close', leave)
    if (head.length > 0) connection.unshift(head)
    if (socket.readyState === socket.OPEN) join(socket, connection, rest)
    else connection.destroy()
  })
  socket.on('close', leave)
  asked.end(text)
}

function join(socket: WebSocket, connection: Duplex, rest: Pick<Bridged, 'farewell'> & Rights): void {
  cutWhenOver(socket, rest)
  connection.on('data', (piece: Buffer) => {
    socket.send(piece, { binary: true }, () => {
      if (connection.isPaused() && socket.bufferedAmount < maxWaitingBytes) connection.resume()
    })
    if (socket.bufferedAmount >= maxWaitingBytes) connection.pause()
  })
  socket.on('message', (data: RawData) => {
    if (connection.write(data as Buffer)) return
    socket.pause()
    connection.once('drain', () => socket.resume())
  })
  connection.on('error', () => end(socket, failed, 'The connection broke.'))
  connection.on('end', () => end(socket, normal))
  connection.on('close', () => end(socket, normal))
  socket.on('close', () => {
    connection.end(rest.farewell)
    // Who left reads nothing more: what still comes must not hold the other side up.
    connection.resume()
    setTimeout(() => connection.destroy(), lingerMs).unref()
  })
  socket.resume()
}

const lingerMs = 1000

/** Whoever is not listened to cannot say farewell either. */
function end(socket: WebSocket, code: number, reason?: string): void {
  socket.resume()
  socket.close(code, reason)
}

async function reasonOf(response: IncomingMessage): Promise<string> {
  let said = ''
  for await (const piece of response.setEncoding('utf8')) {
    said += piece
    if (said.length > maxRefusalBytes) break
  }
  return shortened(messageOf(said))
}

function messageOf(said: string): string {
  try {
    const { message } = JSON.parse(said) as { message?: unknown }
    if (typeof message === 'string') return message
  } catch {
    // Not every refusal is JSON.
  }
  return said
}

const shortened = (text: string): string => {
  let short = text.slice(0, maxReasonBytes)
  while (Buffer.byteLength(short) > maxReasonBytes) short = short.slice(0, -1)
  return short
}
