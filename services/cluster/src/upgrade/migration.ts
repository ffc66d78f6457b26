import type { Migration } from '@atoll/kernel/db/migration'

export const upgradesMigration: Migration = {
  name: 'cluster/0020-upgrade-keys',
  async up(db) {
    await db.schema
      .createTable('cluster_upgrade_keys')
      // Of the user who sent it, and the key: hashed together.
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('request_sha256', 'text', (column) => column.notNull())
      .addColumn('action_uid', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
