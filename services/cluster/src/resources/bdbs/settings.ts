import { totalmem } from 'node:os'
import * as errors from '../../errors.ts'
import { sha256 } from '../../redis/shard-config.ts'
import type { BdbSettings } from './bdb.ts'
import type { CreateBdb, UpdateBdb } from './schema.ts'

const defaults: BdbSettings = {
  replication: false,
  data_persistence: 'disabled',
  aof_policy: 'appendfsync-every-sec',
  snapshot_policy: [
    { secs: 3600, writes: 1 },
    { secs: 300, writes: 100 },
    { secs: 60, writes: 10_000 },
  ],
  memory_size: 0,
  eviction_policy: 'noeviction',
  max_connections: 0,
  tls_mode: 'disabled',
}

/** What was asked for, and otherwise what there is. */
export function settingsOf(asked: Partial<CreateBdb> | UpdateBdb, before: BdbSettings = defaults): BdbSettings {
  const names = Object.keys(defaults) as (keyof BdbSettings)[]
  const given = names.flatMap((name) => {
    const value = (asked as Partial<CreateBdb>)[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...before, ...Object.fromEntries(given) }
}

export const passwordOf = ({ authentication_redis_pass: password }: UpdateBdb): string | undefined =>
  password ? sha256(password) : undefined

/** Throws 400 for more than the machine has. */
export function checkMemory(bytes: number | undefined): void {
  if (bytes !== undefined && bytes > totalmem()) {
    throw errors.invalidParameter(`Invalid memory_size: this node has ${totalmem()} bytes.`)
  }
}
