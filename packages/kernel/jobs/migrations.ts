import type { Kysely } from 'kysely'
import type { Migration } from '../db/migration.ts'

export const jobMigrations: Migration[] = [
  { name: 'kernel/0001-jobs', up: createJobs },
  { name: 'kernel/0006-lanes-and-tenants', up: addLanesAndTenants },
]

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

/** Jobs from before wait for their time, which has come. The indexes hold only what is looked for in them. */
async function addLanesAndTenants(db: Kysely<unknown>): Promise<void> {
  const added = db.schema.alterTable('jobs')
  await added.addColumn('tenant', 'text', (column) => column.notNull().defaultTo('')).execute()
  await added.addColumn('lane', 'text').execute()
  for (const name of ['ready_at', 'again_at'] as const) await added.addColumn(name, 'bigint').execute()
  for (const name of ['jobs_due', 'jobs_unique']) await db.schema.dropIndex(name).execute()
  const index = (name: string, columns: string[], present: string) =>
    db.schema.createIndex(name).on('jobs').columns(columns).where(present, 'is not', null)
  await index('jobs_ready', ['kind', 'tenant', 'ready_at', 'id'], 'ready_at').execute()
  await index('jobs_due', ['kind', 'due_at', 'id'], 'due_at').execute()
  await index('jobs_lane', ['kind', 'lane', 'id'], 'lane').execute()
  await index('jobs_unique', ['kind', 'unique_key'], 'unique_key').unique().execute()
  await db.schema
    .createTable('job_lanes')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('lane', 'text', (column) => column.notNull())
    .addColumn('arrivals', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('job_lanes_key', ['kind', 'lane'])
    .execute()
}
