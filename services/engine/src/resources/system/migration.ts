import type { Migration } from '@atoll/kernel/db/migration'

export const systemMigration: Migration = {
  name: 'engine/system',
  async up(db) {
    await db.schema
      .createTable('engine_identity')
      .addColumn('one', 'integer', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull())
      .execute()
  },
}
