// Who is the master of a database, and who is the next one.
import type { ShardAddress } from '../../redis/redis-connection.ts'
import { offsetOf, roleOf, takeOver } from '../../redis/replication.ts'
import type { ShardProcess } from '../../redis/shard-process.ts'
import type { Shard } from './bdb.ts'

export async function isAlive(shard: Shard): Promise<boolean> {
  return (await shard.process?.isRunning()) ?? false
}

async function runningOf(shards: readonly Shard[]): Promise<{ shard: Shard; process: ShardProcess }[]> {
  const found = []
  for (const shard of shards) {
    if (shard.process !== undefined && (await isAlive(shard))) found.push({ shard, process: shard.process })
  }
  return found
}

/**
 * A promotion may have happened that was not recorded any more: whoever clients write to is the master.
 * `target`: where the endpoint sends them, if it runs.
 */
export async function actualMaster(
  shards: readonly Shard[],
  target: ShardAddress | undefined,
): Promise<Shard | undefined> {
  const masters: { shard: Shard; process: ShardProcess }[] = []
  for (const each of await runningOf(shards)) if ((await roleOf(each.process)) === 'master') masters.push(each)
  if (masters.length <= 1) return masters[0]?.shard
  const path = target !== undefined && 'path' in target ? target.path : undefined
  const targeted = masters.find(({ process }) => process.address.path === path)
  if (targeted !== undefined) return targeted.shard
  // Their writes are counted from the same beginning: who has more was written to last.
  const offsets = await Promise.all(masters.map(({ process }) => offsetOf(process)))
  return masters[offsets.indexOf(Math.max(...offsets))]?.shard
}

/** After the master died: makes the replica that has most of its writes master. Undefined when there is none. */
export async function promoteBest(shards: readonly Shard[]): Promise<Shard | undefined> {
  const replicas = await runningOf(shards.filter(({ role, isSynced }) => role === 'slave' && isSynced))
  const ranked = await Promise.all(replicas.map(async (each) => ({ ...each, offset: await offsetOf(each.process) })))
  ranked.sort((one, other) => other.offset - one.offset)
  for (const { shard, process } of ranked) if (await takeOver(process)) return shard
  return undefined
}
