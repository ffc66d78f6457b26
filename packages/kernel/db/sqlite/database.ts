// The embedded database: one file, one writer thread; short reads in the calling thread, others in reader threads.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CompiledQuery,
  type Dialect,
  Kysely,
  type QueryId,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Log } from '../../telemetry/log.ts'
import { CommitEffects } from '../commit-effects.ts'
import type { Database, Tables } from '../database.ts'
import { compiledStatements } from '../statements.ts'
import { SqliteDriver } from './driver.ts'
import { lockFolder } from './folder-lock.ts'
import { makeOwnFile } from './own-file.ts'
import { Readers } from './readers.ts'
import { runBatch, runTransaction } from './transaction.ts'
import { Writer } from './writer.ts'

/** Kysely would allow one connection at a time otherwise; here the driver does the routing. */
class RoutedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class ToldCompiler extends SqliteQueryCompiler {
  readonly #readers: Readers

  constructor(readers: Readers) {
    super()
    this.#readers = readers
  }

  override compileQuery(node: RootOperationNode, id: QueryId): CompiledQuery {
    const query = super.compileQuery(node, id)
    if (compiledStatements.hasSubscribers) compiledStatements.publish(this.#readers.describe(query.sql))
    return query
  }
}

export async function openSqlite(folder: string, log: Log, lost: (error: Error) => void): Promise<Database> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const unlock = lockFolder(folder)
  const file = makeOwnFile(join(folder, 'atoll.db'))
  const writer = await Writer.start(file, log, lost).catch((error) => {
    unlock()
    throw error
  })
  const readers = new Readers(file, log)
  const driver = new SqliteDriver(readers, writer)
  const dialect = dialectOf(readers, driver)
  const queries = new Kysely<Tables>({ dialect })
  const effects = new CommitEffects(log)
  let closed: Promise<void> | undefined

  return {
    kind: 'sqlite',
    queries,
    transaction: (work, options = {}) =>
      effects.collect((track) =>
        runTransaction(
          { queries, dialect, driver, writer },
          (tx) => {
            track(tx)
            return work(tx)
          },
          options,
        ),
      ),
    batch: (work) =>
      effects.collect((track) =>
        runBatch({ queries, dialect, driver, writer }, (tx) => {
          track(tx)
          return work(tx)
        }),
      ),
    afterCommit: (tx, effect) => effects.add(tx, effect),
    unhurried: (work) => work(queries),
    async ping() {
      await writer.ping()
      await readers.all('select 1', [])
    },
    close() {
      closed ??= (async () => {
        await writer.drain()
        await readers.close()
        await writer.close()
        unlock()
      })()
      return closed
    },
  }
}

function dialectOf(readers: Readers, driver: SqliteDriver): Dialect {
  return {
    createAdapter: () => new RoutedAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new ToldCompiler(readers),
  }
}
