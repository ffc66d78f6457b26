// One request and its response, from the first header to the last byte. Made for every request, so what a route
// may not need (abort signal, logger, address) is made on first use.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { Log } from '../telemetry/log.ts'
import type { RequestSpan } from '../telemetry/tracing.ts'
import type { BodySource } from './body/body-source.ts'
import type { Host } from './host.ts'
import type { HttpTracing } from './options.ts'
import type { Exchange } from './route.ts'
import { waysOf } from './routing/request-version.ts'

export type Headers = Record<string, string>

/** What a client that left before its answer is logged with; it never goes over the wire. */
const clientClosedRequest = 499

export class LiveExchange implements BodySource, Exchange<unknown, unknown, unknown, unknown> {
  readonly host: Host
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  readonly method: string
  readonly path: string
  /** The text after the question mark. */
  readonly search: string
  /** The pattern of the route, for metrics; absent when no route matched. */
  readonly pattern: string | undefined
  /** The bytes of the body. */
  source: Readable
  caller: unknown = undefined
  params: unknown = undefined
  query: unknown = undefined
  body: unknown = undefined
  /** Headers of the response that are known before the answer is. */
  ownHeaders: Headers | undefined
  readonly #startedAt: number
  readonly #startedAtPrecisely: number
  #abort: AbortController | undefined
  #log: Log | undefined
  /** Status of an answer after which the connection left HTTP. */
  #handedOver: number | undefined
  readonly #span: RequestSpan | undefined

  constructor(host: Host, request: IncomingMessage, response: ServerResponse, id: string, pattern?: string) {
    const url = request.url ?? ''
    const questionMark = url.indexOf('?')
    this.host = host
    this.request = request
    this.response = response
    this.source = request
    this.id = id
    this.method = request.method ?? ''
    this.path = questionMark < 0 ? url : url.slice(0, questionMark)
    this.search = questionMark < 0 ? '' : url.slice(questionMark + 1)
    this.pattern = pattern
    this.#startedAt = host.clock.now()
    this.#startedAtPrecisely = host.metrics === undefined ? 0 : performance.now()
    host.metrics?.requestStarted(host.service.name)
    this.#span = host.tracing === undefined ? undefined : this.#startSpan(host.tracing)
    response.on('close', () => this.#finish())
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers
  }

  get address(): string {
    return this.request.socket.remoteAddress ?? ''
  }

  get isEncrypted(): boolean {
    return 'encrypted' in this.request.socket
  }

  get log(): Log {
    this.#log ??= this.host.log.child({ request_id: this.id })
    return this.#log
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.clientLeft) this.#abort.abort()
    return this.#abort.signal
  }

  get ways(): ReadonlySet<string> {
    return waysOf(this)
  }

  get elapsedMs(): number {
    return Math.max(0, this.host.clock.now() - this.#startedAt)
  }

  /** True once nobody is there to read an answer that is not complete. */
  get clientLeft(): boolean {
    return this.response.closed && !this.response.writableFinished
  }

  // Getters, so that they may be taken out of the exchange: `({ setHeader }) => …`.
  get openBody(): () => Readable {
    return () => {
      if (/^100-continue$/i.test(this.request.headers.expect ?? '')) this.response.writeContinue()
      return this.source
    }
  }

  get setHeader(): (name: string, value: string) => void {
    return (name, value) => this.addHeaders({ [name.toLowerCase()]: value })
  }

  addHeaders(headers: Headers): void {
    this.ownHeaders = this.ownHeaders === undefined ? headers : { ...this.ownHeaders, ...headers }
  }

  /** The connection stops speaking HTTP; the exchange is over when it closes. */
  handOver(status: number, connection: Duplex): void {
    this.#handedOver = status
    connection.once('close', () => this.#finish())
  }

  #startSpan(tracing: HttpTracing): RequestSpan | undefined {
    const { id, method, path, pattern: route, headers, host } = this
    const scheme = this.isEncrypted ? 'https' : 'http'
    return tracing.startRequest({ id, service: host.service.name, method, scheme, path, route, headers })
  }

  #finish(): void {
    const { response, host } = this
    const isOver = this.#handedOver === undefined
    const cut = isOver && !response.writableFinished
    if (cut || !isOver) this.#abort?.abort()
    const sent = this.#handedOver ?? (cut && !response.headersSent ? undefined : response.statusCode)
    const status = sent ?? clientClosedRequest
    const line = { request_id: this.id, method: this.method, path: this.path, status, ms: this.elapsedMs }
    host.log.info(cut ? { ...line, cut } : line, 'request')
    if (host.metrics !== undefined) {
      const seconds = (performance.now() - this.#startedAtPrecisely) / 1000
      const { method, pattern: route } = this
      host.metrics.requestEnded({ service: host.service.name, method, route, status, seconds })
    }
    this.#span?.end({ status: sent, cut })
    if (host.closing) host.settled()
  }
}
