// Makes a replica the master of a database while no command is under way.
import { setTimeout as delay } from 'node:timers/promises'
import { infoOf, type RedisConnection } from '../redis/redis-connection.ts'

const pollMs = 1
const idlePollMs = 5
/** Also at the end of the time: a shard that answers is told from one that does not. */
const shortestAnswerMs = 100
/** A replica that is further behind would keep clients waiting. */
const nearBytes = 64 * 1024

/** Before the gate closes. Throws after the deadline. */
export async function awaitNearOffset(master: RedisConnection, replica: RedisConnection, until: number): Promise<void> {
  while ((await bytesBehind(master, replica, until)) > nearBytes) await delay(idlePollMs)
}

/** Nothing the master has taken is missing on the replica. Throws after the deadline. */
export async function awaitSameOffset(master: RedisConnection, replica: RedisConnection, until: number): Promise<void> {
  while ((await bytesBehind(master, replica, until)) > 0) await delay(pollMs)
}

export async function promote(replica: RedisConnection): Promise<void> {
  await replica.call('replicaof', 'no', 'one')
  const { role } = await infoOf(replica, 'replication')
  if (role !== 'master') throw new Error(`The replica did not become master: its role is ${role ?? 'unknown'}.`)
}

/** Infinite while they are not linked. */
async function bytesBehind(master: RedisConnection, replica: RedisConnection, until: number): Promise<number> {
  if (performance.now() > until) throw new Error('The replica has not caught up with its master.')
  const leftMs = Math.max(shortestAnswerMs, until - performance.now())
  const [of, at] = await Promise.all([infoOf(master, 'replication', leftMs), infoOf(replica, 'replication', leftMs)])
  if (at['role'] !== 'slave' || at['master_link_status'] !== 'up') return Number.POSITIVE_INFINITY
  return Math.abs(Number(of['master_repl_offset']) - Number(at['slave_repl_offset']))
}
