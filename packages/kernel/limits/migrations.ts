import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from '../db/migration.ts'

export const limitMigrations: Migration[] = [{ name: 'kernel/0003-rate-buckets', up: createRateBuckets }]

async function createRateBuckets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('rate_buckets')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('level', 'double precision', (column) => column.notNull())
    .addColumn('taken', 'double precision', (column) => column.notNull())
    .addColumn('capacity', 'double precision', (column) => column.notNull())
    .addColumn('per_us', 'double precision', (column) => column.notNull())
    .addColumn('at_us', 'bigint', (column) => column.notNull())
    .execute()
  // Buckets are worth nothing after a crash: without a log, a take does not wait for the disk.
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    await sql`alter table rate_buckets set unlogged`.execute(db)
  }
}
