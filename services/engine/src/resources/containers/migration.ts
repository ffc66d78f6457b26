import type { Migration } from '@atoll/kernel/db/migration'

export const containersMigration: Migration = {
  name: 'engine/0001-containers',
  async up(db) {
    await db.schema
      .createTable('engine_containers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('record', 'text', (column) => column.notNull())
      .execute()
  },
}
