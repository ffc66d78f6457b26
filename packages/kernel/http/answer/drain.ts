// Answers a request whose body is still on its way. Closing at once would reset the connection, and the client would
// lose the answer it needs; reading on for ever would let it waste our time. So: answer, listen a while, close.
import type { IncomingMessage } from 'node:http'
import type { Headers, LiveExchange } from '../exchange.ts'
import { writeHead } from './response-head.ts'

/** A refused body that announces at most this much is read to its end, and the connection is used again. */
const worthReadingBytes = 64 * 1024
const maxDrainedBytes = 16 * 1024 * 1024

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0')

/** A connection that left node's HTTP server is drained where it is closed. */
export const isBodyPending = ({ request, source }: LiveExchange): boolean =>
  source === request && hasBody(request) && !request.complete && !request.socket.destroyed

export function drainThenEnd(exchange: LiveExchange, status: number, text: string, headers: Headers): void {
  const { request, response } = exchange
  const announced = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
  const keep = announced <= worthReadingBytes && request.headers.expect === undefined
  const length = { 'content-length': String(Buffer.byteLength(text)) }
  writeHead(exchange, status, { ...headers, ...length, ...(keep ? {} : { connection: 'close' }) })
  if (exchange.method === 'HEAD') response.flushHeaders()
  else response.write(text)
  drain(request, exchange.host.timeouts.drainMs, (isDrained) => {
    response.end()
    if (!isDrained) request.socket.destroySoon()
  })
}

function drain(request: IncomingMessage, timeoutMs: number, done: (isDrained: boolean) => void): void {
  let drained = 0
  const timer = setTimeout(() => settle(false), timeoutMs)
  const count = (chunk: Buffer) => {
    drained += chunk.length
    if (drained > maxDrainedBytes) settle(false)
    else letOthersGo()
  }
  // One piece a turn: node would take up to 32 of them at once.
  const letOthersGo = () => {
    request.pause()
    setImmediate(() => request.resume())
  }
  const settle = (isDrained: boolean) => {
    clearTimeout(timer)
    request.off('data', count).off('end', ended).off('close', closed)
    done(isDrained)
  }
  const ended = () => settle(true)
  const closed = () => settle(false)
  request
    .on('data', count)
    .on('end', ended)
    .on('close', closed)
    .on('error', () => {})
  request.resume()
}
