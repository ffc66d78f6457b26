import type { Migration } from '@atoll/kernel/db/migration'

/** Invitations to organizations, and secrets that the platform makes for itself once and keeps. */
export const invitesMigration: Migration = {
  name: 'platform/0013-invites',
  async up(db) {
    await db.schema
      .createTable('invites')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('projects', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('accepted_at', 'bigint')
      .execute()
    await db.schema.createIndex('invites_listed').on('invites').columns(['organization_id', 'position', 'id']).execute()
    await db.schema.createIndex('invites_of_address').on('invites').columns(['organization_id', 'email']).execute()
    await db.schema
      .createTable('platform_secrets')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute()
  },
}
