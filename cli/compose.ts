// Puts the kernel and the services together. `up` knows no more of them than this.
import { readFile } from 'node:fs/promises'
import { createKernel } from '@atoll/kernel/create-kernel'
import { listen } from '@atoll/kernel/http/listen'
import type { Listener, ListenOptions } from '@atoll/kernel/http/options'
import { selfSignedCertificate } from '@atoll/kernel/http/self-signed'
import type { Kernel } from '@atoll/kernel/kernel'
import { metricsContentType } from '@atoll/kernel/telemetry/metrics'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { openTracing, type Tracing } from '@atoll/kernel/telemetry/tracing'
import { ensureFirstIdentity, type FirstIdentity } from '@atoll/platform/identity/first-start'
import { platformMigrations } from '@atoll/platform/migrations/migrations'
import { createPlatform, type Platform } from '@atoll/platform/platform'
import type { AtollConfig } from './config.ts'
import { version } from './version.ts'

export interface Running {
  platform: Platform
  /** `url` is what a client's base address starts with: `http://127.0.0.1:8080`. */
  services: { name: string; url: string }[]
  /** Made at this start, so never seen before. Absent on later starts. */
  firstKeys: { apiKey?: string; adminKey?: string }
  /** What the operator should know about the keys given. */
  notes: string[]
  /** What an earlier crash left in the blob store is gone. */
  swept: Promise<void>
  /** Takes no new work, finishes what is under way within the configured grace, and closes everything. */
  close(): Promise<void>
}

export async function startAtoll(config: AtollConfig): Promise<Running> {
  const log = createLog({ level: config.log.level })
  const kernel = await createKernel({ config, log, migrations: platformMigrations })
  const closing: (() => Promise<void>)[] = [() => kernel.close()]
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step()
  }
  try {
    const first = await ensureFirstIdentity(kernel, config.adopt)
    const tracing = await openTracing({ log, clock: kernel.clock, version: version() })
    closing.push(async () => tracing?.close())
    const { platform, listener } = await startPlatform({ kernel, config, tracing }, closing)
    const swept = kernel.start() // in the background: it may have much to look at
    swept.catch((error: unknown) => log.error({ error }, 'The blob store could not be swept'))
    closing.push(() => swept.catch(() => undefined))
    return {
      platform,
      services: [{ name: 'platform', url: listener.url }],
      firstKeys: keysOf(first),
      notes: [...first.notes, ...unusedSecrets(config)],
      swept,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface Parts {
  kernel: Kernel
  config: AtollConfig
  tracing: Tracing | undefined
}

async function startPlatform(
  parts: Parts,
  closing: (() => Promise<void>)[],
): Promise<{ platform: Platform; listener: Listener }> {
  const { kernel, config } = parts
  const platform = createPlatform(kernel, config.platform)
  closing.push(() => platform.close())
  const listener = await listen(platform.service, {
    address: { host: config.host, port: config.port },
    ...(await listenOptions(parts)),
  })
  closing.push(() => listener.close(config.shutdown.graceSeconds * 1000))
  return { platform, listener }
}

/** The same for every service. */
async function listenOptions({ kernel, config, tracing }: Parts): Promise<Omit<ListenOptions, 'address'>> {
  const { blobs, ids, clock, log, db, metrics } = kernel
  const tls = await tlsOf(config)
  return {
    ...(tls ? { tls } : {}),
    ...(config.cors ? { cors: { origins: config.cors.origins.includes('*') ? '*' : config.cors.origins } } : {}),
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

/** Secrets of services this version does not have: whoever set one should not believe that it guards something. */
function unusedSecrets({ adopt }: AtollConfig): string[] {
  const given = { ATOLL_HOOKS_TOKEN: adopt.hooksToken, ATOLL_CLUSTER_ADMIN: adopt.clusterAdmin }
  return Object.entries(given)
    .filter(([, secret]) => secret !== undefined)
    .map(
      ([variable]) =>
        `${variable} is set, but the service it belongs to is not part of this version: it has no effect.`,
    )
}

const keysOf = ({ apiKey, adminKey }: FirstIdentity): Running['firstKeys'] => ({
  ...(apiKey === undefined ? {} : { apiKey }),
  ...(adminKey === undefined ? {} : { adminKey }),
})
