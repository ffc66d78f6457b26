// The port for traces: what callers know of them.
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../clock/clock.ts'
import type { Log } from './log.ts'

export interface TracedRequest {
  id: string
  /** The service that answers: `platform`. */
  service: string
  method: string
  scheme: 'http' | 'https'
  /** Without the query. */
  path: string
  /** The pattern: `/v1/files/:file_id`. Absent when no route matched. */
  route: string | undefined
  /** Read for `traceparent` alone. */
  headers: IncomingHttpHeaders
}

export interface RequestSpan {
  /** `status` is absent when nothing was sent; `cut` when the answer is not complete. */
  end(outcome: { status: number | undefined; cut: boolean }): void
}

/** Other work than requests gets a method of its own beside `startRequest`; its callers know no more than this file. */
export interface Tracing {
  /** Undefined when this request is not among those sampled. */
  startRequest(request: TracedRequest): RequestSpan | undefined
  /** Sends what is left, for a moment at most. */
  close(): Promise<void>
}

export interface TracingNeeds {
  log: Log
  clock: Clock
  /** Of Atoll. */
  version: string
}
