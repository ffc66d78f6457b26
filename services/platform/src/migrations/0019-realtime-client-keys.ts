import type { Migration } from '@atoll/kernel/db/migration'

export const realtimeClientKeysMigration: Migration = {
  name: 'platform/0019-realtime-client-keys',
  async up(db) {
    await db.schema
      .createTable('realtime_client_keys')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('realtime_client_keys_expiry').on('realtime_client_keys').column('expires_at').execute()
  },
}
