// Starts the platform, and what listeners of all services share.
import { readFile } from 'node:fs/promises'
import { listen } from '@atoll/kernel/http/listen'
import type { Listener, ListenOptions } from '@atoll/kernel/http/options'
import { selfSignedCertificate } from '@atoll/kernel/http/self-signed'
import type { Kernel } from '@atoll/kernel/kernel'
import { metricsContentType } from '@atoll/kernel/telemetry/metrics'
import type { Tracing } from '@atoll/kernel/telemetry/tracing'
import { createPlatform, type Platform } from '@atoll/platform/platform'
import type { AtollConfig } from './config.ts'

export interface Parts {
  kernel: Kernel
  config: AtollConfig
  tracing: Tracing | undefined
  /** What is to be closed in the end, the last first. */
  closing: (() => Promise<void>)[]
}

export async function startPlatform(parts: Parts): Promise<{ platform: Platform; listener: Listener }> {
  const { kernel, config, closing } = parts
  const platform = createPlatform(kernel, config.platform)
  closing.push(() => platform.close())
  const tls = await tlsOf(config)
  const listener = await listen(platform.service, {
    address: { host: config.host, port: config.port },
    ...(tls ? { tls } : {}),
    ...(config.cors ? { cors: { origins: config.cors.origins.includes('*') ? '*' : config.cors.origins } } : {}),
    ...listenOptions(parts),
  })
  closing.push(() => listener.close(config.shutdown.graceSeconds * 1000))
  return { platform, listener }
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

async function tlsOf({ tls, data }: AtollConfig): Promise<{ cert: string; key: string } | undefined> {
  if (tls === 'off') return undefined
  if (tls === 'self-signed') return selfSignedCertificate(data)
  return { cert: await readFile(tls.certificate, 'utf8'), key: await readFile(tls.key, 'utf8') }
}
