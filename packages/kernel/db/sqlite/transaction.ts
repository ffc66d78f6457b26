// Transactions of the calling thread. Statements that do not build on one another may be sent together
// (`Promise.all`): the writer thread takes them as they come, and each wait costs a trip there and back.
import { type ConnectionProvider, type DatabaseConnection, type Dialect, type Kysely, Transaction } from 'kysely'
import type { Tables, TransactionOptions, Tx } from '../database.ts'
import { type Statement, toValues } from './calls.ts'
import type { SqliteDriver } from './driver.ts'
import type { Writer } from './writer.ts'

interface Parts {
  queries: Kysely<Tables>
  dialect: Dialect
  driver: SqliteDriver
  writer: Writer
}

export async function runTransaction<T>(
  parts: Parts,
  work: (tx: Tx) => Promise<T>,
  { isLarge = false }: TransactionOptions,
): Promise<T> {
  const turn = await parts.writer.turn(isLarge)
  try {
    const tx = transactionOn(parts, parts.driver.connectionOf(turn))
    const result = await Promise.race([work(tx), turn.abandoned])
    await turn.commit()
    return result
  } catch (error) {
    await turn.rollback()
    throw error
  }
}

/** Nothing reaches the writer thread before the work is done; then all of it, as one. */
export async function runBatch<T>(parts: Parts, work: (tx: Tx) => Promise<T>): Promise<T> {
  const statements: Statement[] = []
  const recorder: Pick<DatabaseConnection, 'executeQuery'> = {
    async executeQuery({ sql, parameters }) {
      statements.push({ sql, values: toValues(parameters) })
      return { rows: [] }
    },
  }
  const result = await work(transactionOn(parts, recorder as DatabaseConnection))
  if (statements.length > 0) await parts.writer.writeBatch(statements)
  return result
}

/** Kysely's own would let each statement wait for the one before. */
function transactionOn({ queries, dialect, driver }: Parts, connection: DatabaseConnection): Tx {
  const provider: ConnectionProvider = { provideConnection: (use) => use(connection) }
  const executor = queries.getExecutor().withConnectionProvider(provider)
  return new Transaction<Tables>({ config: { dialect }, dialect, driver, executor })
}
