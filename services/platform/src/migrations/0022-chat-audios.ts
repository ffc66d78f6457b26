import type { Migration } from '@atoll/kernel/db/migration'

export const chatAudiosMigration: Migration = {
  name: 'platform/0022-chat-audios',
  async up(db) {
    await db.schema
      .createTable('chat_audios')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('transcript', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('chat_audios_by_expiry').on('chat_audios').columns(['expires_at', 'id']).execute()
  },
}
