// The way without a proxy: the server's own FAILOVER, and clients that connect to the new master.

import { startRedisPair } from '@atoll/cluster/proxy/testing/redis-pair'
import { RedisConnection } from '@atoll/cluster/redis/redis-connection'
import { fill, Writers } from './writers.ts'

export async function failoverUnderLoad(
  keys: number,
  writers: number,
): Promise<{ longestMs: number; errors: number; lost: number }> {
  const { master, replica, stop } = await startRedisPair()
  try {
    await fill(master.port, keys)
    const load = new Writers(master.port, writers)
    await load.hasWritten(1000)
    await using connection = await RedisConnection.open(master.address)
    await connection.call('failover', 'to', '127.0.0.1', String(replica.port))
    while (!String(await connection.call('info', 'replication')).includes('role:slave'));
    load.followTo(replica.port)
    await load.hasWritten(1000)
    const { longestMs, errors } = await load.stop()
    return { longestMs, errors, lost: await load.lost() }
  } finally {
    await stop()
  }
}
