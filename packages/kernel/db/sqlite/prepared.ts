// The writer thread's prepared statements, by the numbers the calling thread gave their texts.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Calls, Failure, Result, Rows, Value } from './protocol.ts'

interface Prepared {
  statement: StatementSync
  returnsRows: boolean
}

export class PreparedStatements {
  readonly #db: DatabaseSync
  #texts: string[] = []
  #prepared: (Prepared | undefined)[] = []

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  learn(calls: Calls): void {
    if (calls.forget) {
      this.#texts = []
      this.#prepared = []
    }
    for (const text of calls.texts) this.#texts.push(text)
  }

  /** Runs one call. A failure is a result too: it concerns this call alone. */
  run(number: number, values: Value[]): Result {
    try {
      const { statement, returnsRows } = this.#prepare(number)
      return returnsRows ? flatten(statement.all(...values)) : Number(statement.run(...values).changes)
    } catch (error) {
      return failureOf(error)
    }
  }

  #prepare(number: number): Prepared {
    const known = this.#prepared[number]
    if (known) return known
    const statement = this.#db.prepare(this.#texts[number] ?? '')
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    this.#prepared[number] = prepared
    return prepared
  }
}

function flatten(rows: Record<string, Value>[]): Rows {
  const columns = rows[0] ? Object.keys(rows[0]) : []
  const values: Value[] = []
  for (const row of rows) for (const column of columns) values.push(row[column] ?? null)
  return { columns, values }
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error) }
  const { errcode } = error as { errcode?: unknown }
  return typeof errcode === 'number' ? { message: error.message, errcode } : { message: error.message }
}
