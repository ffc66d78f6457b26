// Reads outside transactions: short ones are answered in the calling thread, at once; those that may take long in
// threads of their own, so that they hold up nobody else.
import type { Log } from '../../telemetry/log.ts'
import type { CompiledStatement } from '../statements.ts'
import type { Value } from './protocol.ts'
import { ReadLength } from './read-length.ts'
import { Reader, type Row } from './reader.ts'
import { ReaderPool } from './reader-pool.ts'

export class Readers {
  readonly #here: Reader
  readonly #length: ReadLength
  readonly #pool: ReaderPool

  constructor(file: string, log: Log) {
    this.#here = new Reader(file)
    this.#length = new ReadLength(this.#here)
    this.#pool = new ReaderPool(file, log)
  }

  async all(sql: string, values: readonly Value[]): Promise<Row[]> {
    return this.#length.mayBeLong(sql, values.length) ? this.#pool.read(sql, values) : this.#here.all(sql, values)
  }

  /** For tests, which look at the plan of every statement. */
  describe(sql: string): CompiledStatement {
    return {
      sql,
      plan: () => this.#here.explain('explain query plan', sql).map(({ detail }) => String(detail)),
      tables: () =>
        this.#here.all("select name from sqlite_schema where type = 'table'", []).map(({ name }) => String(name)),
    }
  }

  async close(): Promise<void> {
    await this.#pool.close()
    this.#here.close()
  }
}
