import { type CreateTableBuilder, type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from '../db/migration.ts'

export const jobMigrations: Migration[] = [
  { name: 'kernel/0001-jobs', up: createJobs },
  { name: 'kernel/0006-lanes-and-tenants', up: addLanesAndTenants },
  { name: 'kernel/0009-jobs-by-key', up: keepByKey },
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
  await createIndexes(db)
  await lanesTable(db, 'job_lanes').execute()
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  const index = (name: string, columns: string[], present: string) =>
    db.schema.createIndex(name).on('jobs').columns(columns).where(present, 'is not', null)
  await index('jobs_ready', ['kind', 'tenant', 'ready_at', 'id'], 'ready_at').execute()
  await index('jobs_due', ['kind', 'due_at', 'id'], 'due_at').execute()
  await index('jobs_lane', ['kind', 'lane', 'id'], 'lane').execute()
  await index('jobs_unique', ['kind', 'unique_key'], 'unique_key').unique().execute()
}

const lanesTable = (db: Kysely<unknown>, name: string) =>
  db.schema
    .createTable(name)
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('lane', 'text', (column) => column.notNull())
    .addColumn('arrivals', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('job_lanes_key', ['kind', 'lane'])

/** On SQLite rows then lie in the tree of their keys instead of beside it: each job that is added writes two trees less. */
async function keepByKey(db: Kysely<unknown>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) return
  const texts = ['kind', 'payload', 'tenant', 'state']
  const numbers = ['run_at', 'attempts', 'created_at']
  const maybeTexts = ['unique_key', 'lane', 'lease_token', 'leased_by', 'last_error']
  const maybeNumbers = ['ready_at', 'due_at', 'again_at']
  let jobs: CreateTableBuilder<string> = db.schema
    .createTable('jobs_copy')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
  for (const name of texts) jobs = jobs.addColumn(name, 'text', (column) => column.notNull())
  for (const name of numbers) jobs = jobs.addColumn(name, 'bigint', (column) => column.notNull())
  for (const name of maybeTexts) jobs = jobs.addColumn(name, 'text')
  for (const name of maybeNumbers) jobs = jobs.addColumn(name, 'bigint')
  await jobs.modifyEnd(sql`without rowid`).execute()
  await replaceBy(db, 'jobs', ['id', ...texts, ...numbers, ...maybeTexts, ...maybeNumbers])
  await createIndexes(db)
  await lanesTable(db, 'job_lanes_copy').modifyEnd(sql`without rowid`).execute()
  await replaceBy(db, 'job_lanes', ['kind', 'lane', 'arrivals'])
}

async function replaceBy(db: Kysely<unknown>, table: string, columns: readonly string[]): Promise<void> {
  const copy = `${table}_copy`
  const names = sql.join(columns.map((name) => sql.ref(name)))
  await sql`insert into ${sql.table(copy)} (${names}) select ${names} from ${sql.table(table)}`.execute(db)
  await db.schema.dropTable(table).execute()
  await db.schema.alterTable(copy).renameTo(table).execute()
}
