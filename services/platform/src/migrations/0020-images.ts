import type { Migration } from '@atoll/kernel/db/migration'

export const imagesMigration: Migration = {
  name: 'platform/0020-images',
  async up(db) {
    await db.schema
      .createTable('images')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('images_by_expiry').on('images').columns(['expires_at', 'id']).execute()
  },
}
