import type { Migration } from '@atoll/kernel/db/migration'

export const outboxMigration: Migration = {
  name: 'hooks/0003-outbox',
  async up(db) {
    await db.schema
      .createTable('hooks_outbox')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('recipient', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('dedupe', 'text', (column) => column.notNull().unique())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('parts_sent', 'bigint', (column) => column.notNull())
      .addColumn('attempts', 'bigint', (column) => column.notNull())
      .addColumn('due_at', 'bigint')
      .addColumn('lease', 'text')
      .addColumn('last_error', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .execute()
    await db.schema.createIndex('hooks_outbox_due').on('hooks_outbox').columns(['due_at', 'position']).execute()
    await db.schema
      .createIndex('hooks_outbox_line')
      .on('hooks_outbox')
      .columns(['channel', 'recipient', 'due_at', 'position'])
      .execute()
    await db.schema.createIndex('hooks_outbox_listed').on('hooks_outbox').columns(['state', 'position']).execute()
    await db.schema
      .createTable('hooks_routes')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('recipient', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
