// Which model embedded the chunks of a vector store, and how far it is with being embedded again by another.
import type { Migration } from '@atoll/kernel/db/migration'

export const storeEditionsMigration: Migration = {
  name: 'platform/0017-store-editions',
  async up(db) {
    for (const column of ['edition', 'upgrade']) {
      await db.schema.alterTable('vector_stores').addColumn(column, 'text').execute()
    }
  },
}
