import type { Migration } from '@atoll/kernel/db/migration'

export const fileAttributesMigration: Migration = {
  name: 'platform/0018-file-attributes',
  async up(db) {
    await db.schema.alterTable('vector_store_files').addColumn('attributes', 'text').execute()
  },
}
