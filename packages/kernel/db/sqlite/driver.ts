// Routes each query: reads to the reader, single writes to the writer's fast path, transactions to a turn of their own.
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { toValues } from './calls.ts'
import type { Readers } from './readers.ts'
import type { Turn } from './turn.ts'
import type { Writer } from './writer.ts'

export class SqliteDriver implements Driver {
  readonly #readers: Readers
  readonly #writer: Writer
  readonly #free: Connection[] = []

  constructor(readers: Readers, writer: Writer) {
    this.#readers = readers
    this.#writer = writer
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    return this.#free.pop() ?? new Connection(this.#readers, this.#writer)
  }

  connectionOf(turn: Turn): DatabaseConnection {
    const connection = new Connection(this.#readers, this.#writer)
    connection.turn = turn
    return connection
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    own(connection).turn = await this.#writer.turn()
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).turn?.commit()
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).turn?.rollback()
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    own(connection).turn = undefined
    this.#free.push(own(connection))
  }

  async destroy(): Promise<void> {}
}

class Connection implements DatabaseConnection {
  readonly #readers: Readers
  readonly #writer: Writer
  turn: Turn | undefined

  constructor(readers: Readers, writer: Writer) {
    this.#readers = readers
    this.#writer = writer
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const values = toValues(query.parameters)
    if (this.turn) return this.turn.execute(query.sql, values)
    if (!isRead(query)) return this.#writer.write(query.sql, values)
    return { rows: (await this.#readers.all(query.sql, values)) as Row[] }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery(query)
  }
}

function own(connection: DatabaseConnection): Connection {
  if (connection instanceof Connection) return connection
  throw new Error('this connection belongs to another database')
}

const readText = /^\s*(select|values|explain|pragma)\b/i

/** A raw `with …` may write, so the writer gets it: it can do both. */
function isRead({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && readText.test(sql))
}
