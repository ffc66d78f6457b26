// Fills an empty database, of either engine, with the rows of another. Killed half-way it is begun again; until it has
// come to its end nothing else starts on that database.
import { sql } from 'kysely'
import { appliedMigrations } from '../applied-migrations.ts'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import type { Migration } from '../migration.ts'
import { unfinishedCopy } from '../schema-state.ts'
import { emptyTables, loadRows, setCounters } from './load-rows.ts'
import type { Row, TableShape } from './snapshot.ts'

interface Filling {
  /** Every step that this program knows. */
  migrations: readonly Migration[]
  /** Those that the rows come from. */
  applied: readonly string[]
  /** In the order of references. */
  tables: readonly TableShape[]
  rows(table: TableShape): AsyncIterable<Row[]>
  /** What else must be there before anybody starts. */
  besides?: () => Promise<void>
}

/** Written by the steps themselves, or of no use elsewhere. */
const passedBy = new Set(['migrations', 'rate_buckets'])

export class NotEmpty extends Error {}
export class UnknownSchema extends Error {}

export async function fillDatabase(
  db: Database,
  { migrations, applied, tables, rows, besides }: Filling,
): Promise<void> {
  await refuseFilled(db)
  const wanted = new Set(applied)
  const known = migrations.filter(({ name }) => wanted.has(name))
  const unknown = applied.filter((name) => name !== unfinishedCopy && !known.some((step) => step.name === name))
  if (unknown.length > 0) throw new UnknownSchema(unknown.join(', '))
  await migrate(db, [{ name: unfinishedCopy, up: async () => undefined }, ...known])
  await besides?.()
  const filled = tables.filter(({ name }) => !passedBy.has(name))
  await emptyTables(db, filled)
  for (const table of filled) {
    for await (const page of rows(table)) await loadRows(db, table, page)
  }
  await setCounters(db, filled)
  await sql`delete from migrations where name = ${unfinishedCopy}`.execute(db.queries)
}

async function refuseFilled(db: Database): Promise<void> {
  const applied = await appliedMigrations(db.queries).catch((error) => {
    if (isNoTable(error)) return new Set<string>()
    throw error
  })
  if (applied.size > 0 && !applied.has(unfinishedCopy)) throw new NotEmpty()
}

const undefinedTable = '42P01'

const isNoTable = (error: unknown): boolean =>
  (error as { code?: string }).code === undefinedTable ||
  (error instanceof Error && error.message.includes('no such table'))
