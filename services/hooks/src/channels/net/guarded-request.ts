// HTTP to the services of others: to an address that was judged, without redirects, within time and size.
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { NotSent } from '../channel.ts'
import type { FindAddress } from './find-address.ts'

export interface OutgoingRequest {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  signal: AbortSignal
}

export interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  /** Undefined where it is no JSON. */
  json: unknown
}

export type SendRequest = (request: OutgoingRequest) => Promise<Answer>

const timeoutMs = 20_000
const maxAnswerBytes = 256 * 1024

/** Says nothing of the path: it may have a token in it. */
export const requestSender =
  (findAddress: FindAddress): SendRequest =>
  async ({ method, url, headers, body, signal }) => {
    const target = new URL(url)
    const address = await findAddress(target.hostname)
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    return exchange(target, bytes, {
      method,
      headers: {
        accept: 'application/json',
        ...(bytes && { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
        ...headers,
      },
      lookup: pinnedTo(address),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
  }

const pinnedTo =
  (address: string): LookupFunction =>
  (_host, { all }, done) => {
    const family = isIP(address)
    if (all) done(null, [{ address, family }])
    else done(null, address, family)
  }

function exchange(target: URL, body: Buffer | undefined, options: http.RequestOptions): Promise<Answer> {
  const { request } = target.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    let isConnected = false
    const fail = (cause: Error): void => {
      reject(new NotSent(`${target.host} did not answer: ${reasonOf(cause)}`, { uncertain: isConnected, cause }))
    }
    const outgoing = request(target, { ...options, agent: false }, (incoming) => {
      readAll(incoming).then((bytes) => {
        const { statusCode: status = 0, headers } = incoming
        resolve({ status, headers, json: jsonOf(bytes) })
      }, fail)
    })
    outgoing.on('socket', (socket) => socket.once('connect', () => (isConnected = true)))
    outgoing.on('error', fail)
    outgoing.end(body)
  })
}

const reasonOf = (cause: Error): string =>
  cause.name === 'AbortError' ? 'out of time' : ((cause as NodeJS.ErrnoException).code ?? cause.message)

async function readAll(incoming: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxAnswerBytes) throw new Error('its answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}
