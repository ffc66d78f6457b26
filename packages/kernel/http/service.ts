// What a service gives the kernel to be served over HTTP, and what it gets back.
import type { WebSocket } from 'ws'
import type { ZodType } from 'zod'
import type { Log } from '../telemetry/log.ts'
import type { ReadLimits } from './body/body-bytes.ts'
import type { BodySource } from './body/body-source.ts'
import type { ErrorCatalogue } from './error.ts'
import type { JsonBounds } from './json/bounds.ts'
import type { RequestHead, Route } from './route.ts'
import type { Versions } from './routing/versions.ts'

export interface SocketContext extends RequestHead {
  caller: unknown
  params: Record<string, string>
  query: unknown
  log: Log
  /** As of an exchange. */
  ways: ReadonlySet<string>
}

export interface SocketRoute<Callers> {
  path: string
  auth: keyof Callers
  summary: string
  query: ZodType | undefined
  /** For a page of the service's own: not in the OpenAPI document. */
  isInternal?: true
  /** Before the connection is upgraded: throws to refuse it. */
  admit?(context: SocketContext): Promise<void>
  maxMessageBytes: number
  /** Picks one of the subprotocols the client offered; undefined refuses none and picks none. */
  chooseProtocol?(offered: readonly string[]): string | undefined
  open(socket: WebSocket, context: SocketContext): void
}

/** A request whose route takes JSON. */
export interface JsonRequest extends BodySource, Pick<ReadLimits, 'maxBytes' | 'idleMs'> {
  /** Of the route: `POST /containers/create`. */
  name: string
  hasBody: boolean
  schema: ZodType
  bounds: JsonBounds
}

export interface HttpService<Callers> {
  /** Stands in log lines and metrics: `platform`. */
  name: string
  title: string
  version: string
  errors: ErrorCatalogue
  routes: readonly Route<Callers>[]
  sockets?: readonly SocketRoute<Callers>[]
  /** Says who is calling, or throws an error of the catalogue. No promise where it is known at once. */
  authenticate(head: RequestHead, auth: keyof Callers): Promise<Callers[keyof Callers]> | Callers[keyof Callers]
  /**
   * Runs after authentication and before the body is read: rate limits.
   * Throws to refuse; returns headers for the response, whatever it becomes.
   */
  admit?(
    caller: Callers[keyof Callers],
    route: Route<Callers>,
  ): Promise<Record<string, string>> | Record<string, string>
  /**
   * Which of the variants of a route a caller means: by a header, say. Asked after authentication, also when there is
   * only one; throws an error of the catalogue when it is none of them.
   */
  chooseVariant?(head: RequestHead, variants: readonly string[]): string
  /** Absent: there is one version, and it is not in the path. */
  versions?: Versions
  /**
   * For interfaces whose clients send more than is asked for: unknown query parameters and bodies nobody wants are
   * passed over.
   */
  isLenient?: boolean
  /** For interfaces that read JSON by rules of their own; also asked when there is no body. Undefined: nothing came. */
  readJson?(request: JsonRequest): Promise<unknown>
  /** Headers of every response, errors too. `caller` is undefined when there is none (yet). */
  responseHeaders?(end: { head: RequestHead; caller: unknown; elapsedMs: number }): Record<string, string>
  /** The most that any route takes; see json-limits.ts for what each does. */
  maxJsonBytes: number
  /** Only those who own the machine reach it: routes without a key take as much as others. */
  trustsAnyone?: boolean
}
