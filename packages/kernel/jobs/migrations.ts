import type { Kysely } from 'kysely'
import type { Migration } from '../db/migration.ts'

export const jobMigrations: Migration[] = [{ name: 'kernel/0001-jobs', up: createJobs }]

async function createJobs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('unique_key', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('run_at', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('lease_token', 'text')
    .addColumn('leased_by', 'text')
    .addColumn('last_error', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('jobs_due').on('jobs').columns(['kind', 'due_at', 'id']).execute()
  await db.schema.createIndex('jobs_unique').unique().on('jobs').columns(['kind', 'unique_key']).execute()
}
