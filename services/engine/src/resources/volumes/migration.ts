import type { Migration } from '@atoll/kernel/db/migration'

export const volumesMigration: Migration = {
  name: 'engine/volumes',
  async up(db) {
    await db.schema
      .createTable('engine_volumes')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('driver', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('labels', 'text', (column) => column.notNull())
      .addColumn('options', 'text', (column) => column.notNull())
      .addColumn('made_for', 'text')
      .execute()
  },
}
