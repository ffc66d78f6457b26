import type { Queries } from '@atoll/kernel/db/database'

export interface ModuleRow {
  uid: string
  module_name: string
  semantic_version: string
  /** Name of the shared object in its package. */
  module_file: string
  /** JSON: module.json as it was understood. */
  manifest: string
  created_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    cluster_modules: ModuleRow
  }
}

export const insertModule = (queries: Queries, row: ModuleRow) =>
  queries.insertInto('cluster_modules').values(row).execute()

export const deleteModule = (queries: Queries, uid: string) =>
  queries.deleteFrom('cluster_modules').where('uid', '=', uid).execute()

export const allModules = (queries: Queries) =>
  queries.selectFrom('cluster_modules').selectAll().orderBy('created_at').orderBy('uid').execute()

export const findModule = (queries: Queries, uid: string) =>
  queries.selectFrom('cluster_modules').selectAll().where('uid', '=', uid).executeTakeFirst()

export const findModuleVersion = (queries: Queries, name: string, version: string) =>
  queries
    .selectFrom('cluster_modules')
    .selectAll()
    .where('module_name', '=', name)
    .where('semantic_version', '=', version)
    .executeTakeFirst()
