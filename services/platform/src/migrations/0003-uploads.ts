import type { Migration } from '@atoll/kernel/db/migration'

export const uploadsMigration: Migration = {
  name: 'platform/0003-uploads',
  async up(db) {
    await db.schema
      .createTable('uploads')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('filename', 'text', (column) => column.notNull())
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('uploads_by_expiry').on('uploads').columns(['status', 'expires_at']).execute()
    await db.schema
      .createTable('upload_parts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('upload_id', 'text', (column) => column.notNull().references('uploads.id'))
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('upload_parts_by_upload').on('upload_parts').column('upload_id').execute()
  },
}
