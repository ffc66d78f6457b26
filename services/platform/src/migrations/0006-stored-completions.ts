import type { Migration } from '@atoll/kernel/db/migration'

export const storedCompletionsMigration: Migration = {
  name: 'platform/0006-stored-completions',
  async up(db) {
    await db.schema
      .createTable('chat_completions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('requested_model', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('completion', 'text', (column) => column.notNull())
      .addColumn('messages', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('chat_completions_by_project')
      .on('chat_completions')
      .columns(['project_id', 'position', 'id'])
      .execute()
    await db.schema
      .createTable('chat_completion_tags')
      .addColumn('completion_id', 'text', (column) => column.notNull().references('chat_completions.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('chat_completion_tags_key', ['completion_id', 'name'])
      .execute()
  },
}
