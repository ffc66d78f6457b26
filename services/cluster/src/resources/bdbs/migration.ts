import type { Migration } from '@atoll/kernel/db/migration'

export const bdbsMigration: Migration = {
  name: 'cluster/bdbs',
  async up(db) {
    await db.schema
      .createTable('cluster_sequences')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('cluster_bdbs')
      .addColumn('uid', 'bigint', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('port', 'bigint', (column) => column.notNull().unique())
      .addColumn('engine', 'text', (column) => column.notNull())
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('module_list', 'text', (column) => column.notNull())
      .addColumn('admin_password', 'text', (column) => column.notNull())
      .addColumn('password_sha256', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('cluster_shards')
      .addColumn('uid', 'text', (column) => column.primaryKey())
      .addColumn('bdb_uid', 'bigint', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('port', 'bigint', (column) => column.notNull())
      .addColumn('engine', 'text', (column) => column.notNull())
      .addColumn('modules', 'text', (column) => column.notNull())
      .addColumn('is_synced', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('cluster_shards_bdb').on('cluster_shards').column('bdb_uid').execute()
  },
}
