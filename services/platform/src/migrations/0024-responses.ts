// Responses, and conversations on the threads' own tables: a message becomes one kind of item among others. Files that
// go by themselves.
import type { Migration } from '@atoll/kernel/db/migration'
import { sql } from 'kysely'

export const responsesMigration: Migration = {
  name: 'platform/0024-responses',
  async up(db) {
    const messages = () => db.schema.alterTable('messages')
    await messages()
      .addColumn('type', 'text', (column) => column.notNull().defaultTo('message'))
      .execute()
    await messages().addColumn('item', 'text').execute()
    await messages().addColumn('work', 'text').execute()
    await messages().addColumn('source', 'text').execute()
    await db.schema
      .createTable('responses')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('previous_id', 'text')
      .addColumn('conversation_id', 'text')
      .addColumn('caller', 'text')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('progress', 'text', (column) => column.notNull())
      .addColumn('letters', 'bigint', (column) => column.notNull())
      .addColumn('completed_at', 'bigint')
      .execute()
    await db.schema
      .createTable('response_events')
      .addColumn('response_id', 'text', (column) => column.notNull())
      .addColumn('last_sequence', 'bigint', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('response_events_key', ['response_id', 'last_sequence'])
      .execute()
    await db.schema.alterTable('files').addColumn('expires_at', 'bigint').execute()
    await sql`create index files_by_expiry on files (expires_at) where expires_at is not null`.execute(db)
  },
}
