// What a listener is started with, and what its starter gets back.
import type { BlobStore } from '../blobs/blobs.ts'
import type { Clock } from '../clock/clock.ts'
import type { Ids } from '../ids/ids.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import type { Forwarding } from './forward/forwarding.ts'
import type { Home } from './site/home.ts'
import type { StaticSite } from './site/site.ts'

export type ListenAddress = { host: string; port: number } | { socketPath: string }

export interface CorsOptions {
  /** `'*'` lets any web page call; otherwise the exact origins that may. */
  origins: readonly string[] | '*'
  /** Cookies and Basic credentials from browsers; never together with `'*'`. */
  credentials?: boolean
  /** How long a browser may remember a preflight. */
  maxAgeSeconds?: number
}

/** What of the house's figures a server reports. */
export type HttpMetrics = Pick<Metrics, 'requestStarted' | 'requestEnded'>

/** What of the tracing a server uses. */
export type HttpTracing = Pick<Tracing, 'startRequest'>

/** What /readyz says. */
export interface Health {
  /** Resolves to the reason why not, or to undefined. */
  ready(): Promise<string | undefined>
  /** Other services of this process, and why they are. */
  absent?: Readonly<Record<string, string>>
  /** Where it is ready: what it is without all the same. */
  lacking?(): Promise<string | undefined>
}

/** A plain public GET that belongs to no service: `/metrics`. */
export interface ExtraRoute {
  path: string
  handler(): Promise<{ contentType: string; body: string }>
}

export interface Timeouts {
  /** A body of which no byte arrives for this long is given up. */
  idleBodyMs: number
  /** How long a client that still sends a refused body is listened to, so that it can read the answer. */
  drainMs: number
  /** WebSocket peers are asked for a sign of life this often, and cut when the last ask went unanswered. */
  pingMs: number
}

export const defaultTimeouts: Timeouts = { idleBodyMs: 60_000, drainMs: 5_000, pingMs: 30_000 }

/** Where the nodes of a group ask one another. */
export interface GroupRoute {
  path: string
  maxBytes: number
  /** Undefined: whoever asked is no node of the group. */
  receive(bytes: Buffer): Promise<Buffer | undefined>
}

export interface ListenOptions {
  address: ListenAddress
  /** PEM texts. With `ca`, clients have to show a certificate of that authority. */
  tls?: { cert: string; key: string; ca?: string }
  cors?: CorsOptions
  blobs: BlobStore
  ids: Ids
  clock: Clock
  log: Log
  metrics?: HttpMetrics
  /** A span for each request; absent when nobody collects them. */
  tracing?: HttpTracing | undefined
  /** For tests: a JSON answer that does not match its route's schema becomes a 500. */
  checkResponses?: boolean
  health: Health
  extraRoutes?: readonly ExtraRoute[]
  /** A web page beside the service. */
  site?: StaticSite
  /** Addresses that other servers of this machine answer. */
  forwarding?: Forwarding
  /** Where other nodes ask this one. */
  group?: GroupRoute
  /** Shown to browsers that open the address itself. */
  home?: () => Home
  timeouts?: Partial<Timeouts>
}

export interface Listener {
  /** `http://127.0.0.1:8080`, or `unix:/path/to.sock`. */
  url: string
  port?: number
  /** Stops accepting; what is in flight may finish within `graceMs`, then its connections are cut. */
  close(graceMs: number): Promise<void>
}
