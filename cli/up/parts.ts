// What services are started with, and what their listeners share.
import type { Duplex } from 'node:stream'
import type { ListenOptions } from '@atoll/kernel/http/options'
import type { Kernel } from '@atoll/kernel/kernel'
import { metricsContentType } from '@atoll/kernel/telemetry/metrics'
import type { Tracing } from '@atoll/kernel/telemetry/tracing'
import type { AtollConfig } from '../config.ts'

/** Resolves to the reason why a service cannot do its work, or to undefined. */
type Readiness = () => Promise<string | undefined>

export interface Parts {
  kernel: Kernel
  config: AtollConfig
  tracing: Tracing | undefined
  /** What is to be closed in the end, the last first. */
  closing: (() => Promise<void>)[]
  /** Who takes on another configuration while running. */
  reloading: ((config: AtollConfig) => void)[]
  /** Services that this machine cannot run, and why: told by the others' /readyz. */
  absent: Record<string, string>
  /** The same answer as that of each service's /readyz. */
  readiness: Map<string, Readiness>
  /** Whether the start has been told, with the keys that it made: nobody hears that it is ready before. */
  isTold: boolean
  /** How the platform's console reaches the services beside it. */
  neighbours: Map<string, () => Duplex>
}

const starting = 'The server is starting.'

/** The same for every service; `more` is what the named one needs beyond the storage. Without a name: for its second. */
export function listenOptions(parts: Parts, name?: string, more?: Readiness): Omit<ListenOptions, 'address'> {
  const { kernel, tracing, absent, readiness } = parts
  const { blobs, ids, clock, log, metrics } = kernel
  const ready: Readiness = async () => (await kernel.ready()) ?? more?.()
  if (name !== undefined) readiness.set(name, ready)
  return {
    blobs,
    ids,
    clock,
    log,
    metrics,
    tracing,
    health: { ready: async () => (parts.isTold ? ready() : starting), absent, lacking: () => kernel.lacking() },
    extraRoutes: [
      { path: '/metrics', handler: async () => ({ contentType: metricsContentType, body: await metrics.text() }) },
    ],
  }
}
