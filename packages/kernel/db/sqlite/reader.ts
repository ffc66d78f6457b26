// A read-only connection in the thread that asks, with its statements kept prepared.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { configureReader } from './pragmas.ts'
import type { Value } from './protocol.ts'

export type Row = Record<string, Value>

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

  /** Row by row. What else is read on this connection meanwhile sees the state of when this began. */
  *iterate(sql: string, values: readonly Value[]): Generator<Row> {
    yield* this.#prepare(sql).iterate(...values)
  }

  /** SQLite's program for the statement, or what it would walk and look up: without running it. */
  explain(what: 'explain' | 'explain query plan', sql: string): Row[] {
    return this.#db.prepare(`${what} ${sql}`).all()
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
