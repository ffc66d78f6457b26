import type { Migration } from '@atoll/kernel/db/migration'

export const usageEventsMigration: Migration = {
  name: 'platform/0005-usage-events',
  async up(db) {
    await db.schema
      .createTable('usage_events')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text')
      .addColumn('service_account_id', 'text')
      .addColumn('api_key_id', 'text', (column) => column.notNull())
      .addColumn('operation', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('answered_by', 'text', (column) => column.notNull())
      .addColumn('requests', 'bigint', (column) => column.notNull())
      .addColumn('input_tokens', 'bigint', (column) => column.notNull())
      .addColumn('cached_input_tokens', 'bigint', (column) => column.notNull())
      .addColumn('output_tokens', 'bigint', (column) => column.notNull())
      .addColumn('batch', 'bigint', (column) => column.notNull())
      .execute()
    // Usage is read in spans of time, for the whole organization or some of its projects.
    await db.schema
      .createIndex('usage_events_by_time')
      .on('usage_events')
      .columns(['organization_id', 'created_at'])
      .execute()
  },
}
