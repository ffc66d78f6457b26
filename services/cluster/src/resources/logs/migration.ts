import type { Migration } from '@atoll/kernel/db/migration'

export const logsMigration: Migration = {
  name: 'cluster/0004-logs',
  async up(db) {
    await db.schema
      .createTable('cluster_events')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('severity', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('originator', 'text', (column) => column.notNull())
      .addColumn('object', 'text')
      .addColumn('message', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('cluster_events_by_time').on('cluster_events').columns(['at', 'id']).execute()
  },
}
