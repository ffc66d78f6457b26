import type { Migration } from '@atoll/kernel/db/migration'

/** The stores made for the files of v1 assistants: they belong to the assistant and go with it. */
export const assistantsV1Migration: Migration = {
  name: 'platform/0012-assistants-v1',
  async up(db) {
    await db.schema
      .createTable('assistant_stores')
      .addColumn('assistant_id', 'text', (column) => column.primaryKey())
      .addColumn('vector_store_id', 'text', (column) => column.notNull())
      .execute()
  },
}
