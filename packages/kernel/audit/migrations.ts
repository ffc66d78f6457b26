import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from '../db/migration.ts'

export const auditMigrations: Migration[] = [{ name: 'kernel/0005-audit', up: createChains }]

async function createChains(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit_entries')
    .addColumn('chain', 'text', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('entry', 'text', (column) => column.notNull())
    .addColumn('previous', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('audit_entries_key', ['chain', 'seq'])
    .execute()
  // The end of each chain, so that entries missing there are noticed too.
  const heads = db.schema
    .createTable('audit_heads')
    .addColumn('chain', 'text', (column) => column.primaryKey())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
  const onPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  await (onPostgres ? heads : heads.modifyEnd(sql`without rowid`)).execute()
}
