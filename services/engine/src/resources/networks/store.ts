import type { Queries } from '@atoll/kernel/db/database'
import type { NetworkRecord } from '../../network/network-record.ts'

export interface NetworkRow {
  id: string
  name: string
  /** A NetworkRecord as JSON. */
  record: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    engine_networks: NetworkRow
  }
}

export async function allNetworks(queries: Queries): Promise<NetworkRecord[]> {
  const rows = await queries.selectFrom('engine_networks').select('record').execute()
  return rows.map(({ record }) => JSON.parse(record))
}

export const insertNetwork = (queries: Queries, record: NetworkRecord) =>
  queries
    .insertInto('engine_networks')
    .values({ id: record.id, name: record.name, record: JSON.stringify(record) })
    .execute()

export const replaceNetwork = (queries: Queries, record: NetworkRecord) =>
  queries
    .updateTable('engine_networks')
    .set({ record: JSON.stringify(record) })
    .where('id', '=', record.id)
    .execute()

export const deleteNetwork = (queries: Queries, id: string) =>
  queries.deleteFrom('engine_networks').where('id', '=', id).execute()
