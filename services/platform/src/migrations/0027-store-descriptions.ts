import type { Migration } from '@atoll/kernel/db/migration'

export const storeDescriptionsMigration: Migration = {
  name: 'platform/0027-store-descriptions',
  async up(db) {
    await db.schema.alterTable('vector_stores').addColumn('description', 'text').execute()
  },
}
