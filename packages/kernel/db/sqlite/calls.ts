// Calls of the writer thread: their parameters, and their results as Kysely wants them.
import type { QueryResult } from 'kysely'
import { batchMark, type Calls, type Failure, type Result, type Rows, type Value } from './protocol.ts'

export interface Statement {
  sql: string
  values: readonly Value[]
}

export interface Call {
  /** Several are a batch. */
  statements: readonly Statement[]
  isBatch: boolean
  bytes: number
  resolve(result: QueryResult<never>): void
  reject(error: Error): void
}

/** An error of the writer thread, with SQLite's extended result code where it has one. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError'
  readonly errcode: number | undefined

  constructor(failure: Failure) {
    super(failure.message)
    this.errcode = failure.errcode
  }
}

const maxTexts = 512

/** Gives each SQL text a number, so that it travels to the writer thread only once. */
export class TextNumbers {
  #numbers = new Map<string, number>()

  encode(list: readonly Call[]): Calls {
    const forget = this.#numbers.size >= maxTexts
    if (forget) this.#numbers = new Map()
    const encoded: Calls = { texts: [], forget, calls: [], values: [] }
    for (const { statements, isBatch } of list) {
      if (isBatch) encoded.calls.push(batchMark, statements.length)
      for (const { sql, values } of statements) {
        encoded.calls.push(this.#number(sql, encoded.texts), values.length)
        for (const value of values) encoded.values.push(value)
      }
    }
    return encoded
  }

  #number(sql: string, texts: string[]): number {
    const known = this.#numbers.get(sql)
    if (known !== undefined) return known
    const number = this.#numbers.size
    this.#numbers.set(sql, number)
    texts.push(sql)
    return number
  }
}

export function settleCall(call: Call, result: Result): void {
  if (typeof result === 'number') {
    call.resolve({ numAffectedRows: BigInt(result), rows: [] })
  } else if ('message' in result) {
    call.reject(new SqliteError(result))
  } else {
    const rows = toObjects(result)
    call.resolve({ numAffectedRows: BigInt(rows.length), rows: rows as never[] })
  }
}

export function toObjects({ columns, values }: Rows): Record<string, Value>[] {
  const rows: Record<string, Value>[] = []
  for (let at = 0; at < values.length; at += columns.length) {
    const row: Record<string, Value> = {}
    for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[at + i] as Value
    rows.push(row)
  }
  return rows
}

/** What SQLite can store. Refused here, a bad parameter fails its own call and not the message it would travel in. */
export function toValues(parameters: readonly unknown[]): Value[] {
  return parameters.map((value, index) => {
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
      return value
    // A view on a bigger buffer would carry all of it to the other thread.
    if (value instanceof Uint8Array) return value.byteLength === value.buffer.byteLength ? value : value.slice()
    throw new TypeError(
      `parameter ${index + 1} of the query is ${describe(value)}; text, numbers, bytes and null can be stored`,
    )
  })
}

const describe = (value: unknown): string =>
  typeof value === 'object' ? `an object (${value?.constructor?.name ?? 'unknown'})` : `of type ${typeof value}`
