import type { Migration } from '@atoll/kernel/db/migration'

export const usersMigration: Migration = {
  name: 'cluster/0002-users',
  async up(db) {
    await db.schema
      .createTable('cluster_users')
      .addColumn('uid', 'bigint', (column) => column.primaryKey())
      .addColumn('email', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('password_hash', 'text', (column) => column.notNull())
      .addColumn('password_issued_at', 'bigint', (column) => column.notNull())
      .addColumn('email_alerts', 'bigint', (column) => column.notNull())
      .addColumn('bdbs_email_alerts', 'text', (column) => column.notNull())
      .execute()
  },
}
