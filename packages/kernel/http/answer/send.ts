// Writes answers that are whole values or byte streams.
import { pipeline, Readable } from 'node:stream'
import type { HttpError } from '../error.ts'
import type { Headers, LiveExchange } from '../exchange.ts'
import { jsonPieces } from '../json/json-in-turns.ts'
import { isLarge } from '../json/json-slices.ts'
import { drainThenEnd, isBodyPending } from './drain.ts'
import { writeHead } from './response-head.ts'

const jsonType = 'application/json'
const textType = 'text/plain; charset=utf-8'

/** A body of at most so many letters, all of them ASCII, leaves as a text: one piece with its head. */
const maxTextLetters = 8 * 1024

interface Body {
  content: string | Buffer
  bytes: number
}

/** What is frozen stays as it is, all the way down: its text is made once. */
const frozenBodies = new WeakMap<object, Body>()

export function sendJson(exchange: LiveExchange, status: number, value: unknown, headers?: Headers): void {
  const all = { 'content-type': jsonType, ...headers }
  const frozen = frozenBody(value)
  if (frozen !== undefined) sendWhole(exchange, status, frozen, all)
  else if (!isLarge(value)) sendWhole(exchange, status, toJson(value), all)
  else sendStream(exchange, status, Readable.from(jsonPieces(value), { objectMode: false }), all)
}

function frozenBody(value: unknown): Body | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const known = frozenBodies.get(value)
  if (known !== undefined || !Object.isFrozen(value)) return known
  const body = toJson(value)
  frozenBodies.set(value, body)
  return body
}

const toJson = (value: unknown): Body => toBody(JSON.stringify(value) ?? 'null')

/** A longer text would be copied and encoded once more than bytes are, and other letters would change how heads are. */
function toBody(text: string): Body {
  const bytes = Buffer.byteLength(text)
  const isShort = bytes <= maxTextLetters && bytes === text.length
  return { content: isShort ? text : Buffer.from(text), bytes }
}

export function sendText(exchange: LiveExchange, status: number, text: string, headers: Headers): void {
  sendWhole(exchange, status, toBody(text), headers)
}

function sendWhole(exchange: LiveExchange, status: number, { content, bytes }: Body, headers: Headers): void {
  headers['content-length'] = String(bytes)
  writeHead(exchange, status, headers)
  exchange.response.end(content, 'latin1')
}

export function sendEmpty(exchange: LiveExchange, status: number, headers: Headers): void {
  const bodiless = status === 204 || status === 304
  writeHead(exchange, status, bodiless ? headers : { 'content-length': '0', ...headers })
  exchange.response.end()
}

export function sendBytes(
  exchange: LiveExchange,
  status: number,
  body: Readable | Uint8Array | string,
  headers: Headers,
): void {
  if (typeof body === 'string') sendText(exchange, status, body, { ...headers })
  else if (body instanceof Uint8Array) {
    writeHead(exchange, status, { ...headers, 'content-length': String(body.byteLength) })
    exchange.response.end(body)
  } else sendStream(exchange, status, body, headers)
}

function sendStream(exchange: LiveExchange, status: number, body: Readable, headers: Headers): void {
  if (exchange.method === 'HEAD' || exchange.clientLeft) body.once('error', () => {}).destroy()
  if (exchange.clientLeft) return
  writeHead(exchange, status, headers)
  if (exchange.method === 'HEAD') {
    exchange.response.end()
    return
  }
  // What comes by and by must not keep the head waiting.
  const flush = setImmediate(() => exchange.response.flushHeaders())
  exchange.response.once('close', () => clearImmediate(flush))
  // The length is promised already: a source that fails half-way can only be told by cutting the connection.
  pipeline(body, exchange.response, (error) => {
    if (error == null || isClientGone(error)) return
    exchange.log.error({ error }, 'The source of a response failed half-way')
    exchange.request.socket.destroy()
  })
}

const isClientGone = (error: NodeJS.ErrnoException): boolean =>
  error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ECONNRESET' || error.code === 'EPIPE'

export function sendError(exchange: LiveExchange, error: HttpError): void {
  if (exchange.clientLeft) return
  if (exchange.response.headersSent) {
    exchange.request.socket.destroy()
    return
  }
  const { status, body, headers } = error
  // Where errors are plain text, their body is one.
  const isText = typeof body === 'string'
  if (!isBodyPending(exchange)) {
    if (isText) sendText(exchange, status, body, { 'content-type': textType, ...headers })
    else sendJson(exchange, status, body, headers)
    return
  }
  const text = isText ? body : (JSON.stringify(body) ?? 'null')
  drainThenEnd(exchange, status, text, { 'content-type': isText ? textType : jsonType, ...headers })
}
