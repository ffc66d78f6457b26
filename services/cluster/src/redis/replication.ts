// Replicas: whether they have everything, and who should take over.
import { setTimeout as delay } from 'node:timers/promises'
import { infoOf, type RedisConnection } from './redis-connection.ts'
import { ShardFailed, type ShardProcess } from './shard-process.ts'

const pollMs = 10
/** Of a copy of everything. */
const syncMs = 10 * 60_000
/** What the dead master has sent is read within this. */
const lastWordsMs = 2000
/** Nobody listens there. What is said on it goes to the replicas, as writes do. */
const probeChannel = '__atoll_replication'

/** Has everything from its master, and on disk where it keeps it there. Throws ShardFailed when it ends meanwhile. */
export async function awaitSynced(replica: ShardProcess, master: ShardProcess): Promise<void> {
  try {
    await waitForSync(replica, master)
  } catch (error) {
    if (await replica.isRunning()) throw error
    throw new ShardFailed(await replica.lastWords())
  }
}

async function waitForSync(replica: ShardProcess, master: ShardProcess): Promise<void> {
  await using connection = await replica.connect()
  const until = performance.now() + syncMs
  while (performance.now() < until) {
    const { role, master_link_status } = await infoOf(connection, 'replication')
    if (role !== 'slave') throw new Error(`Shard ${replica.spec.uid} is no replica.`)
    if (!(await master.isRunning())) throw new Error(`The master of shard ${replica.spec.uid} has died.`)
    if (master_link_status === 'up' && !isWritingFirstFile(replica, await infoOf(connection, 'persistence'))) {
      if (await getsWrites(connection, master, until)) return
    }
    await delay(pollMs)
  }
  throw new Error(`Shard ${replica.spec.uid} did not get its master's data in time.`)
}

/** Until its first append-only file is complete, a restart would lose what the replica has. */
function isWritingFirstFile({ spec }: ShardProcess, persistence: Record<string, string>): boolean {
  if (spec.persistence !== 'aof') return false
  return persistence.aof_rewrite_in_progress === '1' || persistence.aof_rewrite_scheduled === '1'
}

export async function follow(replica: ShardProcess, master: { host: string; port: number }): Promise<void> {
  await using connection = await replica.connect()
  const { role, master_host, master_port } = await infoOf(connection, 'replication')
  if (role === 'slave' && master_host === master.host && Number(master_port) === master.port) return
  await connection.call('replicaof', master.host, String(master.port))
}

/** Whether a replica that follows has found its master, and gets all that is written there. */
export async function isLinked(replica: ShardProcess, master: ShardProcess, withinMs: number): Promise<boolean> {
  await using connection = await replica.connect()
  const until = performance.now() + withinMs
  for (;;) {
    const { role, master_link_status } = await infoOf(connection, 'replication')
    if (role === 'slave' && master_link_status === 'up') return await getsWrites(connection, master, until)
    if (performance.now() > until) return false
    await delay(pollMs)
  }
}

/**
 * Whether what is written now reaches the replica. That its link is up is not enough: after a copy of everything the
 * master holds writes back until the replica has told it once more that it is there. It is made to tell it.
 */
async function getsWrites(replica: RedisConnection, master: ShardProcess, until: number): Promise<boolean> {
  await using connection = await master.connect()
  await connection.call('spublish', probeChannel, '')
  const written = Number((await infoOf(connection, 'replication')).master_repl_offset)
  while (performance.now() < until) {
    const { master_link_status, slave_repl_offset } = await infoOf(replica, 'replication')
    if (master_link_status !== 'up') return false
    if (Number(slave_repl_offset) >= written) return true
    replica.send('replconf', 'getack', '*')
    await delay(pollMs)
  }
  return false
}

export async function roleOf(shard: ShardProcess): Promise<string | undefined> {
  await using connection = await shard.connect()
  return (await infoOf(connection, 'replication')).role
}

/**
 * Makes a replica master after its master died. First it reads what that one has sent: those writes may have been
 * acknowledged. Returns false when it is in the midst of being copied to, and has nothing whole.
 */
export async function takeOver(replica: ShardProcess): Promise<boolean> {
  await using connection = await replica.connect()
  const until = performance.now() + lastWordsMs
  for (;;) {
    const info = await infoOf(connection, 'replication')
    if (info.role === 'master') return true
    if (info.master_link_status === 'down' || performance.now() > until) {
      if ((await infoOf(connection, 'persistence')).loading === '1') return false
      break
    }
    await delay(pollMs)
  }
  await connection.call('replicaof', 'no', 'one')
  return true
}

/** How much of its master's writes a replica has; -1 when it does not say. */
export async function offsetOf(replica: ShardProcess): Promise<number> {
  await using connection = await replica.connect()
  const info = await infoOf(connection, 'replication')
  return Number(info.slave_repl_offset ?? info.master_repl_offset ?? -1)
}
