import type { Queries, Tx } from '@atoll/kernel/db/database'
import type { EngineName } from '../../redis/engines.ts'
import type { Bdb, BdbStatus, Role, Shard } from './bdb.ts'

interface BdbRow {
  uid: number
  name: string
  status: string
  port: number
  engine: string
  /** JSON. */
  settings: string
  module_list: string
  admin_password: string
  password_sha256: string | null
  created_at: number
  changed_at: number
}

interface ShardRow {
  uid: string
  bdb_uid: number
  role: string
  port: number
  engine: string
  /** JSON. */
  modules: string
  is_synced: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    cluster_bdbs: BdbRow
    cluster_shards: ShardRow
    cluster_sequences: { name: string; value: number }
  }
}

/** Never the same twice, whatever was deleted. */
export async function nextNumber(tx: Tx, name: 'bdb' | 'shard'): Promise<number> {
  const row = await tx.selectFrom('cluster_sequences').select('value').where('name', '=', name).executeTakeFirst()
  const value = Number(row?.value ?? 0) + 1
  if (row === undefined) await tx.insertInto('cluster_sequences').values({ name, value }).execute()
  else await tx.updateTable('cluster_sequences').set({ value }).where('name', '=', name).execute()
  return value
}

export async function allBdbs(queries: Queries): Promise<Bdb[]> {
  const rows = await queries.selectFrom('cluster_bdbs').selectAll().orderBy('uid').execute()
  return rows.map((row) => ({
    uid: Number(row.uid),
    name: row.name,
    status: row.status as BdbStatus,
    port: Number(row.port),
    engine: row.engine as EngineName,
    settings: { tls_mode: 'disabled', ...JSON.parse(row.settings) },
    moduleList: JSON.parse(row.module_list),
    adminPassword: row.admin_password,
    passwordSha256: row.password_sha256 ?? undefined,
    createdAt: Number(row.created_at),
    changedAt: Number(row.changed_at),
  }))
}

const bdbRow = (bdb: Bdb): BdbRow => ({
  uid: bdb.uid,
  name: bdb.name,
  status: bdb.status,
  port: bdb.port,
  engine: bdb.engine,
  settings: JSON.stringify(bdb.settings),
  module_list: JSON.stringify(bdb.moduleList),
  admin_password: bdb.adminPassword,
  password_sha256: bdb.passwordSha256 ?? null,
  created_at: bdb.createdAt,
  changed_at: bdb.changedAt,
})

export const insertBdb = (queries: Queries, bdb: Bdb) =>
  queries.insertInto('cluster_bdbs').values(bdbRow(bdb)).execute()

export const updateBdb = (queries: Queries, bdb: Bdb) =>
  queries.updateTable('cluster_bdbs').set(bdbRow(bdb)).where('uid', '=', bdb.uid).execute()

export async function deleteBdb(tx: Tx, uid: number): Promise<void> {
  await tx.deleteFrom('cluster_shards').where('bdb_uid', '=', uid).execute()
  await tx.deleteFrom('cluster_bdbs').where('uid', '=', uid).execute()
}

export async function allShards(queries: Queries): Promise<Shard[]> {
  const rows = await queries.selectFrom('cluster_shards').selectAll().execute()
  return rows
    .sort((one, other) => Number(one.uid) - Number(other.uid))
    .map((row) => ({
      uid: row.uid,
      bdbUid: Number(row.bdb_uid),
      role: row.role as Role,
      port: Number(row.port),
      engine: row.engine as EngineName,
      modules: JSON.parse(row.modules),
      isSynced: Number(row.is_synced) === 1,
      process: undefined,
    }))
}

const shardRow = (shard: Shard): ShardRow => ({
  uid: shard.uid,
  bdb_uid: shard.bdbUid,
  role: shard.role,
  port: shard.port,
  engine: shard.engine,
  modules: JSON.stringify(shard.modules),
  is_synced: shard.isSynced ? 1 : 0,
})

/** Made, or changed. */
export const saveShard = (queries: Queries, shard: Shard) =>
  queries
    .insertInto('cluster_shards')
    .values(shardRow(shard))
    .onConflict((conflict) => conflict.column('uid').doUpdateSet(shardRow(shard)))
    .execute()

export const deleteShard = (queries: Queries, uid: string) =>
  queries.deleteFrom('cluster_shards').where('uid', '=', uid).execute()
