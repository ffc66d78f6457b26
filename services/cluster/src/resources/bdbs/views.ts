// Databases, shards and endpoints as the interface shows them.
import { infoOf } from '../../redis/redis-connection.ts'
import type { Bdb, Shard } from './bdb.ts'
import type { LiveDatabase } from './live-database.ts'
import type { BdbObject, Endpoint, ShardObject } from './schema.ts'

export interface Surroundings {
  clusterName: string
  host: string
  engineVersion: string
  background: BdbObject['background_op']
}

/** The only one there is. */
const nodeUid = '1'
/** As many as a cluster has. */
const allSlots = '0-16383'

export function bdbView({ bdb, shards }: LiveDatabase, surroundings: Surroundings): BdbObject {
  const { settings, moduleList, createdAt, changedAt } = bdb
  return {
    uid: bdb.uid,
    name: bdb.name,
    type: 'redis',
    status: bdb.status,
    engine: bdb.engine,
    redis_version: surroundings.engineVersion,
    version: surroundings.engineVersion,
    module_list: moduleList.map((module) => ({ ...module, module_args: module.module_args.map(quoted).join(' ') })),
    ...settings,
    shards_count: 1,
    sharding: false,
    shard_list: shards.map(({ uid }) => Number(uid)),
    endpoints: [endpointOf(bdb, surroundings)],
    port: bdb.port,
    created_time: new Date(createdAt).toISOString(),
    last_changed_time: new Date(changedAt).toISOString(),
    background_op: surroundings.background.length > 0 ? surroundings.background : [{ status: 'idle' }],
  }
}

const quoted = (argument: string): string => (/\s/.test(argument) ? `"${argument}"` : argument)

const endpointOf = ({ uid, port }: Bdb, { clusterName, host }: Surroundings) => ({
  uid: `${uid}:1`,
  addr: [host],
  addr_type: 'internal',
  dns_name: `redis-${port}.${clusterName}`,
  port,
})

export async function endpointView({ bdb, endpoint }: LiveDatabase, surroundings: Surroundings): Promise<Endpoint> {
  const status = await endpoint.status()
  return { ...endpointOf(bdb, surroundings), bdb_uid: bdb.uid, node_uid: nodeUid, clients: status?.clients ?? 0 }
}

const shown = [
  'role',
  'connected_slaves',
  'master_repl_offset',
  'slave_repl_offset',
  'master_link_status',
  'used_memory',
  'instantaneous_ops_per_sec',
  'total_commands_processed',
  'connected_clients',
]

export async function shardView(shard: Shard, now: number): Promise<ShardObject> {
  const info = await shardInfo(shard)
  const isLoading = info?.loading === '1'
  const isLinked = shard.role === 'master' || info?.master_link_status === 'up'
  return {
    uid: shard.uid,
    bdb_uid: shard.bdbUid,
    node_uid: nodeUid,
    role: shard.role,
    status: info === undefined ? 'inactive' : 'active',
    detailed_status: info === undefined ? 'down' : isLoading ? 'loading' : 'ok',
    assigned_slots: allSlots,
    loading: { status: isLoading ? 'in_progress' : 'idle' },
    sync: { status: isLinked ? 'idle' : 'in_progress' },
    redis_info: Object.fromEntries(shown.flatMap((name) => (info?.[name] === undefined ? [] : [[name, info[name]]]))),
    report_timestamp: new Date(now).toISOString(),
  }
}

async function shardInfo({ process }: Shard): Promise<Record<string, string> | undefined> {
  if (process === undefined) return undefined
  try {
    await using connection = await process.connect()
    const sections = ['replication', 'persistence', 'memory', 'stats', 'clients']
    return Object.assign({}, ...(await Promise.all(sections.map((section) => infoOf(connection, section)))))
  } catch {
    return undefined
  }
}
