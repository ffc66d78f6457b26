import type { Migration } from '@atoll/kernel/db/migration'
import { sql } from 'kysely'

export const runsMigration: Migration = {
  name: 'platform/0010-runs',
  async up(db) {
    await db.schema
      .createTable('runs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('thread_id', 'text', (column) => column.notNull())
      .addColumn('assistant_id', 'text', (column) => column.notNull())
      .addColumn('caller', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('required_action', 'text')
      .addColumn('last_error', 'text')
      .addColumn('incomplete_reason', 'text')
      .addColumn('turns', 'bigint', (column) => column.notNull())
      .addColumn('prompt_tokens', 'bigint', (column) => column.notNull())
      .addColumn('completion_tokens', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint')
      .addColumn('cancelled_at', 'bigint')
      .addColumn('failed_at', 'bigint')
      .addColumn('completed_at', 'bigint')
      .execute()
    await db.schema.createIndex('runs_by_thread').on('runs').columns(['thread_id', 'position', 'id']).execute()
    // At most one run of a thread is under way, whoever asks at the same time.
    const active = sql`status in ('queued', 'in_progress', 'requires_action', 'cancelling')`
    await sql`create unique index runs_active on runs (thread_id) where ${active}`.execute(db)
    await sql`create index runs_overdue on runs (expires_at) where ${active}`.execute(db)
    await db.schema
      .createTable('run_steps')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('thread_id', 'text', (column) => column.notNull())
      .addColumn('assistant_id', 'text', (column) => column.notNull())
      .addColumn('turn', 'bigint', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('work', 'text', (column) => column.notNull())
      .addColumn('last_error', 'text')
      .addColumn('prompt_tokens', 'bigint')
      .addColumn('completion_tokens', 'bigint')
      .addColumn('cancelled_at', 'bigint')
      .addColumn('completed_at', 'bigint')
      .addColumn('expired_at', 'bigint')
      .addColumn('failed_at', 'bigint')
      .execute()
    await db.schema.createIndex('run_steps_by_run').on('run_steps').columns(['run_id', 'position', 'id']).execute()
    await db.schema.createIndex('run_steps_by_thread').on('run_steps').columns(['thread_id']).execute()
  },
}
