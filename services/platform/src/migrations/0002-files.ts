import type { Migration } from '@atoll/kernel/db/migration'

export const filesMigration: Migration = {
  name: 'platform/0002-files',
  async up(db) {
    await db.schema
      .createTable('files')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('filename', 'text', (column) => column.notNull())
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('files_by_project').on('files').columns(['project_id', 'position', 'id']).execute()
    await db.schema
      .createTable('organization_storage')
      .addColumn('organization_id', 'text', (column) => column.primaryKey())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .execute()
  },
}
