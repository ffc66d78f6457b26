import type { Migration } from '@atoll/kernel/db/migration'

export const modulesMigration: Migration = {
  name: 'cluster/0006-modules',
  async up(db) {
    await db.schema
      .createTable('cluster_modules')
      .addColumn('uid', 'text', (column) => column.primaryKey())
      .addColumn('module_name', 'text', (column) => column.notNull())
      .addColumn('semantic_version', 'text', (column) => column.notNull())
      .addColumn('module_file', 'text', (column) => column.notNull())
      .addColumn('manifest', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('cluster_modules_one_of_a_version', ['module_name', 'semantic_version'])
      .execute()
  },
}
