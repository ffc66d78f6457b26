// The embedded database for whoever only looks: also while another process has it open.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Database, Tables } from '../database.ts'
import { toValues } from './calls.ts'
import { Reader } from './reader.ts'

export function openSqliteToRead(folder: string): Pick<Database, 'queries' | 'close'> {
  const file = join(folder, 'atoll.db')
  if (!existsSync(file)) throw new Error(`there is no database in ${folder}`)
  const reader = new Reader(file)
  const queries = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new ReadingDriver(reader),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  return { queries, close: async () => reader.close() }
}

class ReadingDriver implements Driver, DatabaseConnection {
  readonly #reader: Reader

  constructor(reader: Reader) {
    this.#reader = reader
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return { rows: this.#reader.all(sql, toValues(parameters)) as Row[] }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }

  beginTransaction(): Promise<void> {
    throw new Error('this database was opened to read only')
  }

  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
