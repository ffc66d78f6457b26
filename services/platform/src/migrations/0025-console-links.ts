import type { Migration } from '@atoll/kernel/db/migration'

export const consoleLinksMigration: Migration = {
  name: 'platform/0025-console-links',
  async up(db) {
    await db.schema
      .createTable('console_links')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('console_links_expiry').on('console_links').column('expires_at').execute()
  },
}
