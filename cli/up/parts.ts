// What services are started with, and what their listeners share.
import type { ListenOptions } from '@atoll/kernel/http/options'
import type { Kernel } from '@atoll/kernel/kernel'
import { metricsContentType } from '@atoll/kernel/telemetry/metrics'
import type { Tracing } from '@atoll/kernel/telemetry/tracing'
import type { AtollConfig } from '../config.ts'

export interface Parts {
  kernel: Kernel
  config: AtollConfig
  tracing: Tracing | undefined
  /** What is to be closed in the end, the last first. */
  closing: (() => Promise<void>)[]
  /** Who takes on another configuration while running. */
  reloading: ((config: AtollConfig) => void)[]
}

/** The same for every service. */
export function listenOptions({ kernel, tracing }: Parts): Omit<ListenOptions, 'address'> {
  const { blobs, ids, clock, log, db, metrics } = kernel
  return {
    blobs,
    ids,
    clock,
    log,
    metrics,
    tracing,
    health: {
      ready: () =>
        db.ping().then(
          () => undefined,
          () => 'The database does not answer.',
        ),
    },
    extraRoutes: [
      { path: '/metrics', handler: async () => ({ contentType: metricsContentType, body: await metrics.text() }) },
    ],
  }
}
