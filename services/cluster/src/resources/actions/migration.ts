import type { Migration } from '@atoll/kernel/db/migration'

export const actionsMigration: Migration = {
  name: 'cluster/0005-actions',
  async up(db) {
    await db.schema
      .createTable('cluster_actions')
      .addColumn('uid', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('object_name', 'text', (column) => column.notNull())
      // Its object while it runs: no object has two.
      .addColumn('runs_on', 'text', (column) => column.unique())
      .addColumn('node_uid', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('progress', 'double precision', (column) => column.notNull())
      .addColumn('state', 'text')
      .addColumn('heartbeat', 'bigint', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('pending_ops', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('cluster_actions_by_time')
      .on('cluster_actions')
      .columns(['created_at', 'uid'])
      .execute()
  },
}
