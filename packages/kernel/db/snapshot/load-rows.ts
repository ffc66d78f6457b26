// Puts rows of a snapshot into an empty database of either engine.
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Row, TableShape } from './snapshot.ts'

/** Below what one statement may carry (32,766 values on SQLite, 65,535 on PostgreSQL). */
const valuesPerStatement = 30_000
const rowsPerStatement = 500

type AnyTables = Record<string, Record<string, unknown>>

/** In one transaction: all of them, or none. */
export async function loadRows(db: Database, table: TableShape, rows: readonly Row[]): Promise<void> {
  const columns = table.columns.map(({ name }) => name)
  const most = Math.min(rowsPerStatement, Math.floor(valuesPerStatement / columns.length))
  await db.batch(async (tx) => {
    const queries = tx as unknown as Kysely<AnyTables>
    for (let start = 0; start < rows.length; start += most) {
      const objects = rows
        .slice(start, start + most)
        .map((row) => Object.fromEntries(columns.map((column, place) => [column, row[place]])))
      await queries.insertInto(table.name).values(objects).execute()
    }
  })
}

/** Empties every table, the ones that refer to others first. `tables` are in the order of references. */
export async function emptyTables(db: Database, tables: readonly Pick<TableShape, 'name'>[]): Promise<void> {
  for (const { name } of [...tables].reverse()) await sql`delete from ${sql.table(name)}`.execute(db.queries)
}

/** On PostgreSQL, counters do not follow rows that came with their numbers. */
export async function setCounters(db: Database, tables: readonly TableShape[]): Promise<void> {
  if (db.kind !== 'postgres') return
  for (const { name, columns } of tables) {
    if (!columns.some((column) => column.name === 'id' && column.type === 'integer')) continue
    await sql`select setval(counter, (select max(id) from ${sql.table(name)}))
      from (select pg_get_serial_sequence(${name}, 'id') as counter) as found
      where counter is not null and exists (select 1 from ${sql.table(name)})`.execute(db.queries)
  }
}
