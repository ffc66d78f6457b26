// Builds a kernel from its configuration: opens, migrates, connects; closes in the reverse order.
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { openBlobs } from './blobs/open-blobs.ts'
import { createSegments } from './blobs/segments.ts'
import { sweep } from './blobs/sweep.ts'
import { type Clock, systemClock } from './clock/clock.ts'
import { GroupClock } from './clock/group-clock.ts'
import type { KernelConfig } from './config/kernel-config.ts'
import type { Database } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import type { Migration } from './db/migration.ts'
import { openDatabase } from './db/open.ts'
import type { Events } from './events/events.ts'
import { createInProcessEvents } from './events/in-process.ts'
import { createIds, type Ids } from './ids/ids.ts'
import { createJobs } from './jobs/queue.ts'
import { endAllLeases } from './jobs/store.ts'
import type { Kernel } from './kernel.ts'
import { kernelMigrations } from './kernel-migrations.ts'
import type { Limits } from './limits/limits.ts'
import { createMemoryLimits } from './limits/memory.ts'
import { NodeGroup } from './nodes/group.ts'
import { groupKey } from './nodes/group-key.ts'
import { Membership, nodeFigures } from './nodes/nodes.ts'
import { createReadiness } from './readiness.ts'
import type { Log } from './telemetry/log.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import { createVectors, type OperatedVectors } from './vectors/create-vectors.ts'
import type { ShelfSettings } from './vectors/shelves.ts'

/** Other nodes may be writing blobs that no row refers to yet; none takes this long. */
const sharedStoreGraceMs = 24 * 3600 * 1000
const sweepEverySeconds = 3600
const pruneLimitsEverySeconds = 600
const shutdownGraceMs = 5_000

export interface KernelNeeds {
  config: Pick<KernelConfig, 'data' | 'blobs'> &
    Partial<Pick<KernelConfig, 'vectors'>> & { database: Partial<KernelConfig['database']> }
  log: Log
  /** Of the services that will run, in order. */
  migrations: readonly Migration[]
  /** Absent: that of the database where nodes share one, else this machine's. */
  clock?: Clock
  /** Of this program, for who looks at the nodes. */
  version?: string
}

export async function createKernel({
  config,
  log,
  migrations,
  clock: given,
  version = '',
}: KernelNeeds): Promise<Kernel> {
  await mkdir(config.data, { recursive: true, mode: 0o700 })
  const { url, ...pool } = config.database
  const db = await openDatabase(
    url === undefined ? { kind: 'sqlite', folder: config.data } : { kind: 'postgres', url, ...pool },
    { log },
  )
  try {
    const groupClock = url === undefined || given !== undefined ? undefined : await GroupClock.set(db.queries)
    const clock = given ?? groupClock ?? systemClock
    const ids = createIds(clock)
    // Blobs older than this were left by a crash; younger ones may belong to a request under way.
    const openedAt = clock.now()
    await migrate(db, [...kernelMigrations, ...migrations], log)
    const { events, limits, pruneLimits } = await shared(db, url, clock, log)
    const nodeId = `${hostname()}-${ids.secret(8)}`
    const jobs = createJobs({ db, events, clock, ids, log, nodeId })
    const opened = await openBlobs({ config, db, clock, ids })
    const { blobs } = opened
    const segments = createSegments({ db, blobs, log })
    const settings = vectorSettings(config)
    const group = url === undefined ? undefined : await groupOf(db, ids, clock)
    const pgvectorUrl = config.vectors?.pgvector === 'off' ? undefined : url
    const folder = join(config.data, 'vectors')
    const vectors = createVectors({ db, ids, log, folder, settings, pgvectorUrl, group })
    const metrics = createMetrics()
    metrics.watchJobs(() => jobs.counts())
    if (url !== undefined) watchNodes(metrics, db, clock, vectors)
    const sweepBlobs = (graceMs: number) =>
      sweep({ db, blobs, clock, log, graceMs, isBeingRead: (key) => segments.isBeingRead(key) })
    jobs.registerPeriodic('sweep-blobs', sweepEverySeconds, async () => void (await sweepBlobs(sharedStoreGraceMs)))
    jobs.registerPeriodic('delete-removed-vectors', sweepEverySeconds, async () => vectors.start())
    if (pruneLimits) jobs.registerPeriodic('prune-rate-limits', pruneLimitsEverySeconds, pruneLimits)
    const look = createReadiness(db, [...new Set([config.data, opened.folder ?? config.data])], opened.problem)
    const node = new Membership({ db, clock, log, id: nodeId, version, look, ...among(group, vectors, groupClock) })
    return {
      ...{ clock, ids, log, metrics, db, events, jobs, blobs, segments, vectors, limits, group, folder: config.data },
      ready: () => node.ready(),
      lacking: () => node.lacking(),
      drain: () => node.drain(),
      async start() {
        // The data folder is locked: what held leases on its jobs was an earlier process, and that one is gone.
        if (url === undefined) await endAllLeases(db.queries, clock.now())
        await jobs.start()
        node.join()
        vectors.start()
        await sweepBlobs(url === undefined ? clock.now() - openedAt : sharedStoreGraceMs)
      },
      async close() {
        await node.leave()
        await jobs.stop(shutdownGraceMs)
        await vectors.close()
        group?.close()
        await segments.idle()
        opened.close()
        await events.close()
        await db.close()
      },
    }
  } catch (error) {
    await db.close()
    throw error
  }
}

function watchNodes(metrics: Metrics, db: Database, clock: Clock, vectors: OperatedVectors): void {
  const help = 'Nodes that share the database, by version and state.'
  metrics.storedGauge('atoll_nodes', help, () => nodeFigures(db.queries, clock.now()))
  metrics.gauge('atoll_vector_searches', 'Searches of collections by where their index was.', vectors.figures)
  const collections = 'Large collections that were asked for here, by whether pgvector answers for them.'
  metrics.gauge('atoll_pgvector_collections', collections, vectors.pgvectorFigures)
}

/** Between two words of this node it looks who else is there. */
const among = (group: NodeGroup | undefined, vectors: OperatedVectors, clock: GroupClock | undefined) => ({
  address: () => group?.address ?? '',
  async told() {
    await clock?.compare()
    await group?.refresh()
    vectors.release()
  },
})

async function groupOf(db: Database, ids: Ids, clock: Clock): Promise<NodeGroup> {
  return new NodeGroup({ queries: db.queries, now: () => clock.now(), key: await groupKey(db, ids) })
}

/** What vectors hold in memory at most; half of it may wait for its place in an index. */
function vectorSettings({ vectors }: KernelNeeds['config']): Partial<ShelfSettings> {
  if (vectors === undefined) return {}
  const maxBytes = vectors.memoryMb * 1024 * 1024
  return { maxBytes, maxWaitingBytes: maxBytes / 2 }
}

interface Shared {
  events: Events
  limits: Limits
  pruneLimits?: () => Promise<void>
}

/** What holds inside one process when the database is embedded, and across nodes when it is PostgreSQL. */
async function shared(db: Database, url: string | undefined, clock: Clock, log: Log): Promise<Shared> {
  if (url === undefined) return { events: createInProcessEvents(db, log), limits: createMemoryLimits(clock) }
  const { createPostgresEvents } = await import('./events/postgres-notify.ts')
  const { createPostgresLimits, pruneRateBuckets } = await import('./limits/postgres.ts')
  return {
    events: await createPostgresEvents(url, log),
    limits: createPostgresLimits(db),
    pruneLimits: async () => {
      await pruneRateBuckets(db)
    },
  }
}
