import type { Migration } from '@atoll/kernel/db/migration'

export const fineTunedModelsMigration: Migration = {
  name: 'platform/0004-fine-tuned-models',
  async up(db) {
    await db.schema
      .createTable('fine_tuned_models')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('base_model', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('fine_tuned_models_by_project')
      .on('fine_tuned_models')
      .columns(['project_id', 'created_at', 'id'])
      .execute()
  },
}
