import type { Migration } from '@atoll/kernel/db/migration'

export const pluginsMigration: Migration = {
  name: 'engine/plugins',
  async up(db) {
    await db.schema
      .createTable('engine_plugins')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('record', 'text', (column) => column.notNull())
      .execute()
  },
}
