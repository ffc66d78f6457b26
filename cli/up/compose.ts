// Puts the kernel and the services together. `up` knows no more of them than this.
import type { FirstAdmin } from '@atoll/cluster/identity/first-admin'
import { createKernel } from '@atoll/kernel/create-kernel'
import { openTracing } from '@atoll/kernel/telemetry/open-tracing'
import { createLog, type LeveledLog } from '@atoll/kernel/telemetry/pino-log'
import type { FirstIdentity } from '@atoll/platform/identity/first-start'
import type { Platform } from '@atoll/platform/platform'
import type { AtollConfig } from '../config.ts'
import { loginLink } from '../console/address.ts'
import type { KeyKeeper } from '../keys/key.ts'
import { MissingPrograms } from '../programs/missing.ts'
import { version } from '../version.ts'
import { migrationsOf } from './migrations.ts'
import type { Parts } from './parts.ts'
import { refuseTakenPorts } from './ports.ts'
import type { StartedHooks } from './start-hooks.ts'

export interface Running {
  /** Absent where it was not asked for. */
  platform: Platform | undefined
  /** `url` is what a client's base address starts with: `http://127.0.0.1:8080`. */
  services: { name: string; url: string }[]
  /** Made at this start, so never seen before. Absent on later starts. */
  firstKeys: {
    apiKey?: string
    adminKey?: string
    clusterAdmin?: string
    hookToken?: string
    hooksAdminToken?: string
    /** Logs in to the console, once. */
    consoleLink?: string
  }
  /** What was asked for and cannot do its work now, and why. */
  problems: { service: string; reason: string }[]
  /** The same, as it is when this is called. */
  check(): Promise<Running['problems']>
  /** Secrets, for whoever owns the data folder. */
  keys(): Promise<KeyKeeper>
  /** Another link to log in to the console with; undefined where there is no platform. */
  consoleLink(): Promise<string | undefined>
  /** What the operator should know about the keys given. */
  notes: string[]
  /** What an earlier crash left in the blob store is gone. */
  swept: Promise<void>
  /** Takes on what can change at run time. Absent where nothing that runs can. */
  reload: ((config: AtollConfig) => void) | undefined
  /** It has been told that all this runs: /readyz may say so too. */
  told(): void
  /** Lets balancers know that nothing should be sent here any more. */
  drain(): void
  /** Takes no new work, finishes what is under way within the configured grace, and closes everything. */
  close(): Promise<void>
}

export async function startAtoll(config: AtollConfig): Promise<Running> {
  const log = createLog({ level: config.log.level })
  const migrations = await migrationsOf(config.services)
  const [kernel, engine] = await Promise.all([
    createKernel({ config, log, migrations, version: version() }),
    runs(config, 'engine') ? import('./start-engine.ts') : undefined, // while the database opens; others should not carry it
  ])
  const closing: (() => Promise<void>)[] = [() => kernel.close()]
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step()
  }
  try {
    const tracing = await openTracing({ log, clock: kernel.clock, version: version() })
    closing.push(async () => tracing?.close())
    const tables = { reloading: [], absent: {}, readiness: new Map(), neighbours: new Map(), isTold: false }
    const parts: Parts = { kernel, config, tracing, closing, ...tables }
    const services: Running['services'] = []
    await refuseTakenPorts(config)
    const started = runs(config, 'platform') ? await startFirst(parts) : undefined
    const { first, platform, listener } = started ?? {}
    if (listener !== undefined) services.push({ name: 'platform', url: listener.url })
    if (engine !== undefined) services.push(...((await ifPossible(parts, 'engine', engine.startEngine)) ?? []))
    const hooks = runs(config, 'hooks') ? await startGateway(parts, started) : undefined
    if (hooks !== undefined) services.push({ name: 'hooks', url: hooks.listener.url })
    const cluster = runs(config, 'cluster') ? await ifPossible(parts, 'cluster', startSecond) : undefined
    if (cluster !== undefined) services.push({ name: 'cluster', url: cluster.listener.url })
    const swept = kernel.start() // in the background: it may have much to look at
    swept.catch((error: unknown) => log.error({ error }, 'The blob store could not be swept'))
    closing.push(() => swept.catch(() => undefined))
    return {
      platform,
      services,
      firstKeys: {
        ...(first === undefined ? {} : keysOf(first)),
        ...(first?.created ? await firstLink(started) : {}),
        ...tokensOf(hooks?.made),
        ...adminOf(cluster?.admin),
      },
      problems: await problemsOf(parts),
      check: () => problemsOf(parts),
      keys: () => keeperOf(parts, platform),
      consoleLink: () => linkOf(started),
      notes: [...(first?.notes ?? []), ...unusedSecrets(config), ...(engine?.engineNotes(config) ?? [])],
      swept,
      reload: reloadOf(parts, log),
      told: () => {
        parts.isTold = true
      },
      drain: () => kernel.drain(),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Its code is needed by few. */
async function keeperOf({ kernel, config, absent }: Parts, platform: Platform | undefined): Promise<KeyKeeper> {
  const { createKeeper } = await import('../keys/keeper.ts')
  const has = (name: 'hooks' | 'cluster'): boolean => runs(config, name) && absent[name] === undefined
  return createKeeper({
    ...{ kernel, config, identity: platform?.identity },
    ...{ hasHooks: has('hooks'), hasCluster: has('cluster') },
  })
}

/** What the machine lacks for one service does not keep the others away. Nothing to start is no start. */
async function ifPossible<Started>(
  parts: Parts,
  name: string,
  start: (parts: Parts) => Promise<Started>,
): Promise<Started | undefined> {
  try {
    return await start(parts)
  } catch (error) {
    if (!(error instanceof MissingPrograms) || parts.config.services.length <= Object.keys(parts.absent).length + 1) {
      throw error
    }
    parts.absent[name] = error.message
    return undefined
  }
}

async function problemsOf({ absent, readiness }: Parts): Promise<Running['problems']> {
  const problems = Object.entries(absent).map(([service, reason]) => ({ service, reason }))
  for (const [service, ready] of readiness) {
    const reason = await ready()
    if (reason !== undefined) problems.push({ service, reason })
  }
  return problems
}

/** A service's code is loaded only where it runs: it is most of what a start takes. */
async function startFirst(parts: Parts) {
  const [{ ensureFirstIdentity }, { startPlatform }] = await Promise.all([
    import('@atoll/platform/identity/first-start'),
    import('./start-platform.ts'),
  ])
  const { adopt } = parts.config
  const ensureFirst = () => ensureFirstIdentity(parts.kernel, adopt)
  // Keys that were given are good from the first answer on.
  const given = adopt.apiKey !== undefined && adopt.adminKey !== undefined ? await ensureFirst() : undefined
  const started = await startPlatform(parts)
  // Others are shown once, at the end of the start that made them: not before what can go wrong has gone well.
  return { first: given ?? (await ensureFirst()), ...started }
}

async function startSecond(parts: Parts) {
  const { startCluster } = await import('./start-cluster.ts')
  return startCluster(parts)
}

async function startGateway(parts: Parts, started: StartedPlatform) {
  const { startHooks } = await import('./start-hooks.ts')
  return startHooks(parts, started && { platform: started.platform, url: started.listener.url })
}

type StartedPlatform = Awaited<ReturnType<typeof startFirst>> | undefined

async function linkOf(started: StartedPlatform): Promise<string | undefined> {
  const secret = await started?.platform.console.links.create()
  return started && secret && loginLink(started.consoleUrl, secret)
}

async function firstLink(started: StartedPlatform): Promise<Running['firstKeys']> {
  const consoleLink = await linkOf(started)
  return consoleLink === undefined ? {} : { consoleLink }
}

const tokensOf = ({ hookToken, adminToken }: StartedHooks['made'] = {}): Running['firstKeys'] => ({
  ...(hookToken === undefined ? {} : { hookToken }),
  ...(adminToken === undefined ? {} : { hooksAdminToken: adminToken }),
})

/** As HTTP Basic wants it. */
const adminOf = (admin: FirstAdmin | undefined): Running['firstKeys'] =>
  admin?.password === undefined ? {} : { clusterAdmin: `${admin.email}:${admin.password}` }

function reloadOf({ reloading }: Parts, log: LeveledLog): Running['reload'] {
  if (reloading.length === 0) return undefined
  return (config) => {
    log.level = config.log.level
    for (const takeOn of reloading) takeOn(config)
  }
}

const runs = ({ services }: AtollConfig, name: AtollConfig['services'][number]): boolean => services.includes(name)

/** Whoever set a secret should not believe that it guards something. */
function unusedSecrets(config: AtollConfig): string[] {
  const { hooksToken, clusterAdmin } = config.adopt
  const notes: string[] = []
  if (hooksToken !== undefined && !runs(config, 'hooks')) {
    notes.push('ATOLL_HOOKS_TOKEN is set, but hooks are not started (--with hooks): it has no effect.')
  }
  if (clusterAdmin !== undefined && !runs(config, 'cluster')) {
    notes.push('ATOLL_CLUSTER_ADMIN is set, but the cluster is not started (--with cluster): it has no effect.')
  }
  return notes
}

const keysOf = ({ apiKey, adminKey }: FirstIdentity): Running['firstKeys'] => ({
  ...(apiKey === undefined ? {} : { apiKey }),
  ...(adminKey === undefined ? {} : { adminKey }),
})
