import type { Migration } from '@atoll/kernel/db/migration'

export const networksMigration: Migration = {
  name: 'engine/networks',
  async up(db) {
    await db.schema
      .createTable('engine_networks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('record', 'text', (column) => column.notNull())
      .execute()
  },
}
