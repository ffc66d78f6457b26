import type { Migration } from '@atoll/kernel/db/migration'

export const auditMigration: Migration = {
  name: 'cluster/0003-audit',
  async up(db) {
    await db.schema
      .createTable('cluster_audit')
      .addColumn('seq', 'bigint', (column) => column.primaryKey())
      .addColumn('entry', 'text', (column) => column.notNull())
      .addColumn('previous', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .execute()
    // One row: the end of the chain, so that entries missing there are noticed too.
    await db.schema
      .createTable('cluster_audit_head')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .execute()
  },
}
