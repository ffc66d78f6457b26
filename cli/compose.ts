// Puts the kernel and the services together. `up` knows no more of them than this.
import { createKernel } from '@atoll/kernel/create-kernel'
import type { Migration } from '@atoll/kernel/db/migration'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { openTracing } from '@atoll/kernel/telemetry/tracing'
import type { FirstIdentity } from '@atoll/platform/identity/first-start'
import type { Platform } from '@atoll/platform/platform'
import type { AtollConfig } from './config.ts'
import type { Parts } from './parts.ts'
import { version } from './version.ts'

export interface Running {
  /** Absent where it was not asked for. */
  platform: Platform | undefined
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
  const kernel = await createKernel({ config, log, migrations: await migrationsOf(config) })
  const closing: (() => Promise<void>)[] = [() => kernel.close()]
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step()
  }
  try {
    const tracing = await openTracing({ log, clock: kernel.clock, version: version() })
    closing.push(async () => tracing?.close())
    const parts: Parts = { kernel, config, tracing, closing }
    const services: Running['services'] = []
    const started = runs(config, 'platform') ? await startFirst(parts) : undefined
    const { first, platform, listener } = started ?? {}
    if (listener !== undefined) services.push({ name: 'platform', url: listener.url })
    if (runs(config, 'engine')) {
      const { startEngine } = await import('./start-engine.ts') // others should not carry it
      services.push(...(await startEngine(parts)))
    }
    const swept = kernel.start() // in the background: it may have much to look at
    swept.catch((error: unknown) => log.error({ error }, 'The blob store could not be swept'))
    closing.push(() => swept.catch(() => undefined))
    return {
      platform,
      services,
      firstKeys: first === undefined ? {} : keysOf(first),
      notes: [...(first?.notes ?? []), ...unusedSecrets(config)],
      swept,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A service's code is loaded only where it runs: it is most of what a start takes. */
async function startFirst(parts: Parts) {
  const [{ ensureFirstIdentity }, { startPlatform }] = await Promise.all([
    import('@atoll/platform/identity/first-start'),
    import('./start-platform.ts'),
  ])
  const first = await ensureFirstIdentity(parts.kernel, parts.config.adopt)
  return { first, ...(await startPlatform(parts)) }
}

const runs = ({ services }: AtollConfig, name: AtollConfig['services'][number]): boolean => services.includes(name)

async function migrationsOf(config: AtollConfig): Promise<Migration[]> {
  const migrations: Migration[] = []
  if (runs(config, 'platform')) {
    migrations.push(...(await import('@atoll/platform/migrations/migrations')).platformMigrations)
  }
  if (runs(config, 'engine')) migrations.push(...(await import('@atoll/engine/migrations')).engineMigrations)
  return migrations
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
