// A part of a server's addresses that other servers of this machine answer, as its starter gives it.
import type { Duplex } from 'node:stream'
import type { HttpError } from '../error.ts'
import type { RequestHead } from '../route.ts'

/** As it goes on to the destination. */
export interface ForwardedRequest {
  method: string
  path: string
  /** Without the question mark. */
  search: string
}

export interface Destination {
  connect(): Duplex
  /** Added to each request; of the caller's own headers, only those that describe the body go on. */
  headers: Record<string, string>
  /** Whether the caller still may: asked again and again while an answer goes on. */
  stillMay(): Promise<boolean>
  /** Called before the request goes on, which it does not where this fails; what comes of it is told how it ended. */
  record?(request: ForwardedRequest): Promise<(status: number) => Promise<void>>
}

export interface Forwarding {
  /** `/console/services`: below it, `/engine/containers/json` asks the destination `engine` for `/containers/json`. */
  path: string
  /** Who may, and where to: throws an error of the service's catalogue. */
  admit(head: RequestHead, name: string): Promise<Destination>
  /** What to say when the destination does not answer. */
  unreachable(name: string): HttpError
  maxBodyBytes: number
  /** Answers that are under way at the same time. */
  maxAtOnce: number
  /** How often `stillMay` is asked. */
  recheckMs: number
}
