import type { Migration } from '@atoll/kernel/db/migration'

/** Secrets of the cluster itself, and the numbers that its objects are called by. */
export const identityMigration: Migration = {
  name: 'cluster/0001-identity',
  async up(db) {
    await db.schema
      .createTable('cluster_secrets')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('cluster_numbers')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('last', 'bigint', (column) => column.notNull())
      .execute()
  },
}
