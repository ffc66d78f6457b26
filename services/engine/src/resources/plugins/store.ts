import type { Queries } from '@atoll/kernel/db/database'
import type { PluginRecord } from '../../plugins/plugin-record.ts'

interface PluginRow {
  id: string
  name: string
  /** A PluginRecord as JSON. */
  record: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    engine_plugins: PluginRow
  }
}

const rowOf = (record: PluginRecord): PluginRow => ({
  id: record.id,
  name: record.name,
  record: JSON.stringify(record),
})

export async function allPlugins(queries: Queries): Promise<PluginRecord[]> {
  const rows = await queries.selectFrom('engine_plugins').select('record').orderBy('name').execute()
  return rows.map(({ record }) => JSON.parse(record))
}

export const insertPlugin = (queries: Queries, record: PluginRecord) =>
  queries.insertInto('engine_plugins').values(rowOf(record)).execute()

export const replacePlugin = (queries: Queries, record: PluginRecord) =>
  queries.updateTable('engine_plugins').set(rowOf(record)).where('id', '=', record.id).execute()

export const deletePlugin = (queries: Queries, id: string) =>
  queries.deleteFrom('engine_plugins').where('id', '=', id).execute()
