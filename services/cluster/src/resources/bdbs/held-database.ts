// A database in the hands of one upgrade.
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endProcessesIn } from '../../redis/processes.ts'
import { infoOf, type RedisConnection } from '../../redis/redis-connection.ts'
import { openOwn } from '../../redis/shard-folder.ts'
import { ShardFailed, ShardProcess } from '../../redis/shard-process.ts'
import type { LoadedModule } from '../../upgrade/plan.ts'
import { type HeldDatabase, ModuleRefused, type UpgradeShard } from '../../upgrade/ports.ts'
import { shardSettings } from './bdb.ts'
import type { LiveDatabase } from './live-database.ts'

interface Parts {
  live: LiveDatabase
  /** For scratch copies. */
  folder: string
  moduleVersion(moduleUid: string): Promise<number>
  now(): number
  letGo(): void
}

const pollMs = 20
const saveMs = 10 * 60_000

export function heldDatabase({ live, folder, moduleVersion, now, letGo }: Parts): HeldDatabase {
  return {
    uid: live.bdb.uid,
    moduleVersion,
    shards: async () => live.shards.map(({ uid, role, modules }): UpgradeShard => ({ uid, role, modules })),
    connect: (shardUid) => live.process(shardUid).connect(),
    revive: () => live.revive(),
    snapshot: (shardUid, file) => snapshot(live.process(shardUid), file),
    rehearse: (file, modules) => told(() => rehearse(live, folder, file, modules)),
    addReplica: (shardUid, modules) => told(() => live.addReplica(shardUid, modules)),
    rebuild: (shardUid, modules) => told(() => live.rebuild(shardUid, modules)),
    beginAnew: (modules) => told(() => live.beginAnew(modules)),
    async remove(shardUid) {
      if (live.shards.some(({ uid }) => uid === shardUid)) await live.removeShard(shardUid)
    },
    async handOver(shardUid) {
      return live.master.uid === shardUid ? { gateMs: 0, drainMs: 0, sessions: 0 } : live.handOver(shardUid)
    },
    setModules: (modules) => live.save({ moduleList: [...modules], changedAt: now() }),
    [Symbol.dispose]: letGo,
  }
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ShardFailed ? new ModuleRefused(error.message, { cause: error }) : error
  }
}

async function snapshot(shard: ShardProcess, file: string): Promise<void> {
  await using connection = await shard.connect()
  const { begun: before } = await savesOf(connection)
  await connection.call('bgsave', 'schedule')
  const until = performance.now() + saveMs
  for (;;) {
    const { begun, isOver, isGood } = await savesOf(connection)
    if (begun !== before && isOver) {
      if (isGood) break
      throw new Error(`The shard cannot write its data to disk: ${await shard.lastWords()}`)
    }
    if (performance.now() > until) throw new Error(`Shard ${shard.spec.uid} did not write its data in time.`)
    await delay(pollMs)
  }
  const written = join(shard.spec.folder, 'dump.rdb')
  await copyOwn(written, file)
  // A shard that keeps nothing would begin with it when it is started again.
  if (shard.spec.persistence !== 'snapshot') await rm(written, { force: true })
}

async function copyOwn(from: string, to: string): Promise<void> {
  await using source = await openOwn(from)
  await writeFile(to, source.createReadStream({ autoClose: false }), { mode: 0o600 })
}

/** How the last one ended says nothing of the next. */
async function savesOf(connection: RedisConnection): Promise<{ begun: number; isOver: boolean; isGood: boolean }> {
  const { rdb_saves, rdb_bgsave_in_progress, rdb_last_bgsave_status } = await infoOf(connection, 'persistence')
  return {
    begun: Number(rdb_saves),
    isOver: rdb_bgsave_in_progress === '0',
    isGood: rdb_last_bgsave_status === 'ok',
  }
}

/** No port, nothing kept: it only has to load what it is given. */
async function rehearse(
  live: LiveDatabase,
  parent: string,
  file: string | undefined,
  modules: readonly LoadedModule[],
): Promise<number> {
  const { spec } = live.process(live.master.uid)
  const folder = join(parent, `rehearsal-${live.bdb.uid}`)
  await endProcessesIn(folder) // of an attempt that was cut off
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    if (file !== undefined) await copyFile(file, join(folder, 'dump.rdb'))
    const { replicaOf: _, ...alone } = spec
    const process = await ShardProcess.start({
      ...alone,
      ...shardSettings(live.bdb),
      ...{ uid: `${spec.uid}-rehearsal`, folder, port: 0, persistence: 'disabled', memoryBytes: 0 },
      modules: await live.moduleFiles(modules),
    })
    try {
      await using connection = await process.connect()
      return Number(await connection.call('dbsize'))
    } finally {
      process.release()
      await process.stop({ kill: true })
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
