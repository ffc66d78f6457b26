import type { Migration } from '@atoll/kernel/db/migration'

export const assistantsMigration: Migration = {
  name: 'platform/0008-assistants',
  async up(db) {
    await db.schema
      .createTable('assistants')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('settings', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('assistants_by_project')
      .on('assistants')
      .columns(['project_id', 'position', 'id'])
      .execute()
    await db.schema
      .createTable('threads')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('tool_resources', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('message_count', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('messages')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('thread_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('attachments', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('assistant_id', 'text')
      .addColumn('run_id', 'text')
      .addColumn('incomplete_reason', 'text')
      .addColumn('completed_at', 'bigint')
      .addColumn('incomplete_at', 'bigint')
      .execute()
    await db.schema.createIndex('messages_by_thread').on('messages').columns(['thread_id', 'position', 'id']).execute()
    await db.schema.createIndex('messages_by_run').on('messages').columns(['run_id', 'position', 'id']).execute()
  },
}
