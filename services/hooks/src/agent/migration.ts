import type { Migration } from '@atoll/kernel/db/migration'
import type { Kysely } from 'kysely'

export const agentMigration: Migration = {
  name: 'hooks/0002-agent',
  async up(db) {
    await createSessions(db)
    await createEvents(db)
    await createTurns(db)
    await createHeartbeat(db)
  },
}

async function createSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('hooks_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('thread_id', 'text')
    .addColumn('trust', 'text', (column) => column.notNull())
    .addColumn('turns', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('hooks_sessions_key').unique().on('hooks_sessions').columns(['kind', 'key']).execute()
  await db.schema.createIndex('hooks_sessions_used').on('hooks_sessions').columns(['kind', 'used_at']).execute()
}

async function createEvents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('hooks_events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('trust', 'text', (column) => column.notNull())
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('is_unsafe', 'bigint', (column) => column.notNull())
    .addColumn('delivery_id', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('consumed_by', 'text')
    .execute()
  await db.schema.createIndex('hooks_events_open').on('hooks_events').columns(['state', 'position']).execute()
  await db.schema.createIndex('hooks_events_mode').on('hooks_events').columns(['state', 'mode']).execute()
  await db.schema.createIndex('hooks_events_turn').on('hooks_events').columns(['consumed_by']).execute()
}

async function createTurns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('hooks_turns')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('trust', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('thread_id', 'text')
    .addColumn('run_id', 'text')
    .addColumn('runs', 'bigint', (column) => column.notNull())
    .addColumn('deadline_at', 'bigint')
    .addColumn('outcome', 'text')
    .addColumn('detail', 'text')
    .addColumn('reply', 'text')
    .addColumn('outbox_id', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute()
  await db.schema.createIndex('hooks_turns_ended').on('hooks_turns').columns(['ended_at']).execute()
  await db.schema.createIndex('hooks_turns_kind').on('hooks_turns').columns(['kind', 'position']).execute()
  await db.schema
    .createTable('hooks_tool_calls')
    .addColumn('turn_id', 'text', (column) => column.notNull())
    .addColumn('call_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('output', 'text')
    .addColumn('target', 'text')
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('hooks_tool_calls_key', ['turn_id', 'call_id'])
    .execute()
}

async function createHeartbeat(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('hooks_heartbeat')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('due_at', 'bigint')
    .addColumn('wanted_at', 'bigint')
    .addColumn('retry_at', 'bigint')
    .addColumn('failures', 'bigint', (column) => column.notNull())
    .addColumn('turn_id', 'text')
    .addColumn('lease_token', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('last_text', 'text')
    .addColumn('last_text_at', 'bigint')
    .execute()
  await db.schema
    .createTable('hooks_agent')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('assistant_id', 'text', (column) => column.notNull())
    .execute()
}

/** The newest of all kinds, for operators. */
export const agentListsMigration: Migration = {
  name: 'hooks/0006-agent-lists',
  async up(db) {
    await db.schema.createIndex('hooks_sessions_newest').on('hooks_sessions').columns(['used_at desc', 'id']).execute()
    await db.schema.createIndex('hooks_events_newest').on('hooks_events').column('position').execute()
  },
}

/** The heartbeat is a job from here on; the start of the gateway adds it, and it looks what is due. */
export const heartbeatJobMigration: Migration = {
  name: 'hooks/0007-heartbeat-job',
  async up(db) {
    for (const name of ['lease_token', 'lease_until']) {
      await db.schema.alterTable('hooks_heartbeat').dropColumn(name).execute()
    }
  },
}

/** The newest are found by their ids, and few events are urgent or have been shown. */
export const rareEventsMigration: Migration = {
  name: 'hooks/0009-rare-events',
  async up(db) {
    for (const name of ['newest', 'mode', 'turn']) await db.schema.dropIndex(`hooks_events_${name}`).execute()
    const index = (name: string) => db.schema.createIndex(`hooks_events_${name}`).on('hooks_events')
    await index('urgent').columns(['state', 'mode']).where('state', '=', 'open').where('mode', '=', 'now').execute()
    await index('turn').column('consumed_by').where('consumed_by', 'is not', null).execute()
  },
}
