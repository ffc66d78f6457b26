// Reads outside transactions: a read-only connection in the calling thread, with its statements kept prepared.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { configureReader } from './pragmas.ts'
import type { Value } from './protocol.ts'

type Row = Record<string, Value>

const maxPrepared = 256

export class Reader {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { readOnly: true })
    configureReader(this.#db)
  }

  all(sql: string, values: readonly Value[]): Row[] {
    return this.#prepare(sql)
      .all(...values)
      .map(plain)
  }

  /** Row by row, on a statement of its own: other reads may come in between. */
  *iterate(sql: string, values: readonly Value[]): Generator<Row> {
    for (const row of this.#db.prepare(sql).iterate(...values)) yield plain(row)
  }

  close(): void {
    this.#prepared.clear()
    this.#db.close()
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql)
    if (known) return known
    if (this.#prepared.size >= maxPrepared) this.#forgetOldest()
    const statement = this.#db.prepare(sql)
    this.#prepared.set(sql, statement)
    return statement
  }

  #forgetOldest(): void {
    for (const sql of this.#prepared.keys()) {
      this.#prepared.delete(sql)
      return
    }
  }
}

/** node:sqlite's rows have no prototype, which is slow to use and unlike PostgreSQL's. */
const plain = (row: Row): Row => ({ ...row })
