import type { Migration } from '@atoll/kernel/db/migration'
import { type Kysely, sql } from 'kysely'

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

/** Messages are jobs from here on; those that wait become some. */
export const outboxJobsMigration: Migration = {
  name: 'hooks/0004-outbox-jobs',
  async up(db) {
    await enqueueWaiting(db)
    for (const name of ['hooks_outbox_due', 'hooks_outbox_line']) await db.schema.dropIndex(name).execute()
    await db.schema.alterTable('hooks_outbox').dropColumn('lease').execute()
    const index = (name: string, columns: string[]) =>
      db.schema.createIndex(`hooks_outbox_${name}`).on('hooks_outbox').columns(columns).execute()
    await index('position', ['position'])
    await index('origin', ['origin', 'position'])
    await index('ended', ['state', 'ended_at'])
  },
}

/** The first for each recipient waits for its time, the others for it. What was being sent was cut off: it is due. */
async function enqueueWaiting(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into jobs (id, kind, payload, tenant, lane, state, run_at, due_at, attempts, last_error, created_at)
    select 'job_' || substr(id, 5), 'hook-message', '{"messageId":"' || id || '"}', channel, channel || ' ' || recipient,
      'waiting', created_at,
      case when row_number() over (partition by channel, recipient order by id) > 1 then null
        when state = 'sending' then created_at else due_at end,
      attempts, last_error, created_at
    from hooks_outbox where state in ('pending', 'sending')`.execute(db)
  await sql`
    insert into job_lanes (kind, lane, arrivals)
    select kind, lane, count(*) from jobs where kind = 'hook-message' group by kind, lane`.execute(db)
}
