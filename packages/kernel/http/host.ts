// What every part of one running server shares.
import type { Duplex } from 'node:stream'
import type { BlobStore } from '../blobs/blobs.ts'
import type { Clock } from '../clock/clock.ts'
import type { Ids } from '../ids/ids.ts'
import type { Log } from '../telemetry/log.ts'
import type { HttpMetrics, HttpTracing, ListenOptions, Timeouts } from './options.ts'
import { defaultTimeouts } from './options.ts'
import type { AnyCallers } from './route.ts'
import type { HttpService } from './service.ts'

export type AnyService = HttpService<AnyCallers>

export interface Host {
  service: AnyService
  blobs: BlobStore
  ids: Ids
  clock: Clock
  log: Log
  metrics: HttpMetrics | undefined
  tracing: HttpTracing | undefined
  checkResponses: boolean
  timeouts: Timeouts
  /** True from the moment `close` was called. */
  closing: boolean
  closed: Promise<void>
  /** Called whenever an exchange is over; the server uses it to close idle connections while it shuts down. */
  settled(): void
  /** Called once, when the server begins to shut down. */
  onClosing: (() => void)[]
  /** Connections that left HTTP (hijacked or WebSocket): the server itself no longer counts them. */
  detached: Set<Duplex>
}

export function createHost(service: AnyService, options: Omit<ListenOptions, 'address'>): Host {
  return {
    service,
    blobs: options.blobs,
    ids: options.ids,
    clock: options.clock,
    log: options.log,
    metrics: options.metrics,
    tracing: options.tracing,
    checkResponses: options.checkResponses ?? false,
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    closing: false,
    closed: Promise.resolve(),
    settled: () => {},
    onClosing: [],
    detached: new Set(),
  }
}
