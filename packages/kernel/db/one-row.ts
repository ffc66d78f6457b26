// A table of one row with one value, which the first node that asks for it fills: all others get the same.
import { type Kysely, sql } from 'kysely'
import type { Queries } from './database.ts'

const theOne = 'one'

export class OneRow {
  readonly #table: string
  readonly #column: string

  constructor(table: string, column: string) {
    this.#table = table
    this.#column = column
  }

  async createTable(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable(this.#table)
      .addColumn('one', 'text', (column) => column.primaryKey())
      .addColumn(this.#column, 'text', (column) => column.notNull())
      .execute()
  }

  /** Undefined where nobody has filled it. */
  async read(queries: Queries): Promise<string | undefined> {
    const { rows } = await sql<{ value: string }>`
      select ${sql.ref(this.#column)} as value from ${sql.table(this.#table)} where one = ${theOne}`.execute(queries)
    return rows[0]?.value
  }

  /** The value that is there, or this one from now on. */
  async fill(queries: Queries, value: string): Promise<string> {
    await sql`
      insert into ${sql.table(this.#table)} (one, ${sql.ref(this.#column)}) values (${theOne}, ${value})
      on conflict do nothing`.execute(queries)
    return (await this.read(queries)) ?? value
  }
}
