// A database as it is recorded, and its shards.
import type { EngineName } from '../../redis/engines.ts'
import type { ShardSettings, SnapshotRule } from '../../redis/shard-config.ts'
import type { ShardProcess } from '../../redis/shard-process.ts'
import type { LoadedModule } from '../../upgrade/plan.ts'
import type { AofPolicy, EvictionPolicy } from './schema.ts'

export type BdbStatus = 'pending' | 'active' | 'active-change-pending' | 'delete-pending' | 'recovery'

/** In the words of the interface. */
export interface BdbSettings {
  replication: boolean
  data_persistence: 'disabled' | 'aof' | 'snapshot'
  aof_policy: AofPolicy
  snapshot_policy: SnapshotRule[]
  memory_size: number
  eviction_policy: EvictionPolicy
  max_connections: number
  /** Whether clients have to speak TLS. */
  tls_mode: 'enabled' | 'disabled'
}

export interface Bdb {
  uid: number
  name: string
  status: BdbStatus
  port: number
  engine: EngineName
  settings: BdbSettings
  moduleList: LoadedModule[]
  /** Of the cluster's own user on its shards. */
  adminPassword: string
  passwordSha256: string | undefined
  /** Milliseconds. */
  createdAt: number
  changedAt: number
}

export type Role = 'master' | 'slave'

export interface Shard {
  uid: string
  bdbUid: number
  role: Role
  port: number
  engine: EngineName
  modules: LoadedModule[]
  /** A replica that has had everything from its master since it began empty. */
  isSynced: boolean
  process: ShardProcess | undefined
}

export function shardSettings({ settings, passwordSha256 }: Bdb): ShardSettings {
  return {
    persistence: settings.data_persistence,
    aofPolicy: settings.aof_policy,
    snapshotPolicy: settings.snapshot_policy,
    memoryBytes: settings.memory_size,
    evictionPolicy: settings.eviction_policy,
    ...(passwordSha256 === undefined ? {} : { passwordSha256 }),
  }
}
