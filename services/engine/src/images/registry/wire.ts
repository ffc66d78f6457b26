// One HTTP exchange with a registry, or with what it points to: deadlines, limits and redirects.
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { getCACertificates } from 'node:tls'
import { isLoopback } from './endpoints.ts'
import { answerTooLong, Silence, unreachable } from './failure.ts'
import type { Patience } from './settings.ts'

export interface WireRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: URL
  headers?: Record<string, string>
  /** What is sent; a stream needs `content-length` among the headers. */
  body?: Uint8Array | Readable
  /** Certificates are not checked. */
  isInsecure: boolean
  /** How long the connection may be silent; otherwise the usual time. */
  idleMs?: number
  signal: AbortSignal
}

export interface WireAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: IncomingMessage
  /** After redirects. */
  url: URL
}

const maxRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])
const userAgent = 'atoll-engine/0.1'
const freeSocketMs = 15_000

export class Wire {
  readonly patience: Patience
  #agents = new Map<string, http.Agent>()

  constructor(patience: Patience) {
    this.patience = patience
  }

  /** The head of an answer; its body is the caller's to read, to its end or `destroy`ed. */
  async send(request: WireRequest): Promise<WireAnswer> {
    let current = request
    for (let hops = 0; ; hops++) {
      const answer = await this.#exchange(current)
      const isFollowed = redirects.has(answer.status) && (request.method === 'GET' || request.method === 'HEAD')
      if (!isFollowed || answer.headers.location === undefined) return answer
      answer.body.destroy()
      if (hops === maxRedirects) throw unreachable(request, `stopped after ${maxRedirects} redirects`)
      current = redirected(current, answer.headers.location)
    }
  }

  /** For what is small: the answer with its whole body. */
  async sendSmall(request: WireRequest, maxBytes: number): Promise<WireAnswer & { bytes: Buffer }> {
    const deadline = AbortSignal.timeout(this.patience.smallAnswerMs)
    const signal = AbortSignal.any([request.signal, deadline])
    try {
      const answer = await this.send({ ...request, signal })
      return { ...answer, bytes: await readAll(request, answer, maxBytes) }
    } catch (problem) {
      if (!deadline.aborted || request.signal.aborted) throw problem
      throw unreachable(request, `no whole answer within ${this.patience.smallAnswerMs / 1000} seconds`)
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }

  async #exchange({ method, url, headers, body, signal, isInsecure, idleMs }: WireRequest): Promise<WireAnswer> {
    signal.throwIfAborted()
    const timeout = idleMs ?? this.patience.idleMs
    const isSecure = url.protocol === 'https:'
    const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>()
    const request = (isSecure ? https : http).request(url, {
      method,
      headers: { 'user-agent': userAgent, ...lengthOf(method, body), ...headers },
      agent: this.#agent(url, isInsecure),
      signal,
      timeout,
    })
    const fail = (problem: unknown): void =>
      reject(signal.aborted ? signal.reason : unreachable({ method, url }, problem))
    const silence = new Silence(`no answer within ${timeout / 1000} seconds`)
    request.on('timeout', () => request.destroy(silence))
    request.on('error', fail)
    request.on('response', (answer) => {
      // A connection that falls silent ends the body with the reason, not just with "aborted".
      request.on('timeout', () => answer.destroy(silence))
      answer.on('error', () => {})
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer, url })
    })
    if (body === undefined || body instanceof Uint8Array) request.end(body)
    else pipeline(body, request, () => {}) // errors of either end come by the request
    return promise
  }

  #agent(url: URL, isInsecure: boolean): http.Agent {
    const isNear = isLoopback(url.host)
    const name = `${url.protocol} ${isInsecure} ${isNear}`
    const known = this.#agents.get(name)
    if (known !== undefined) return known
    // What is on this machine is never asked for through a proxy.
    const options = { keepAlive: true, timeout: freeSocketMs, ...(!isNear && { proxyEnv: process.env }) }
    const agent =
      url.protocol === 'https:'
        ? new https.Agent({ ...options, ...(isInsecure ? { rejectUnauthorized: false } : { ca: authorities() }) })
        : new http.Agent(options)
    this.#agents.set(name, agent)
    return agent
  }
}

/** Those that Node knows and those of the machine, where people put the authorities of their own. */
const authorities = (): string[] => [...getCACertificates('default'), ...getCACertificates('system')]

function lengthOf(method: string, body: WireRequest['body']): Record<string, string> {
  if (body instanceof Uint8Array) return { 'content-length': String(body.byteLength) }
  return body === undefined && method !== 'GET' && method !== 'HEAD' ? { 'content-length': '0' } : {}
}

/** Credentials stay with the host they are for, and nothing that was encrypted goes on in the open. */
function redirected(request: WireRequest, location: string): WireRequest {
  if (!URL.canParse(location, request.url.href)) throw unreachable(request, 'redirected to no address')
  const url = new URL(location, request.url)
  const isDowngrade = request.url.protocol === 'https:' && url.protocol !== 'https:' && !request.isInsecure
  if (!/^https?:$/.test(url.protocol) || isDowngrade) throw unreachable(request, `redirected to ${url.protocol}`)
  if (url.origin === request.url.origin) return { ...request, url }
  const { authorization: _, ...headers } = request.headers ?? {}
  return { ...request, url, headers }
}

async function readAll(request: WireRequest, { body }: WireAnswer, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      length += chunk.length
      if (length > maxBytes) throw answerTooLong(request, maxBytes)
      chunks.push(chunk)
    }
  } catch (problem) {
    throw request.signal.aborted ? request.signal.reason : unreachable(request, problem)
  }
  return Buffer.concat(chunks)
}
