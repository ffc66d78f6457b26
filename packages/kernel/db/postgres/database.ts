// The database shared by several nodes.
import { Kysely, PostgresDialect, sql } from 'kysely'
import type { Log } from '../../telemetry/log.ts'
import { CommitEffects } from '../commit-effects.ts'
import type { Database, Tables } from '../database.ts'
import { createPool, createUnhurriedPool, type PoolSettings } from './connection.ts'
import { retryConflicts } from './retry.ts'

export async function openPostgres(target: PoolSettings & { url: string }, log: Log): Promise<Database> {
  const pool = createPool(target.url, target, log)
  const queries = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const effects = new CommitEffects(log)
  let closed: Promise<void> | undefined

  const ping = async () => {
    await sql`select 1`.execute(queries)
  }
  await ping().catch(async (error) => {
    await pool.end()
    throw error
  })

  const transaction: Database['transaction'] = (work) =>
    retryConflicts(() =>
      effects.collect((track) =>
        queries
          .transaction()
          .setIsolationLevel('serializable')
          .execute((tx) => {
            track(tx)
            return work(tx)
          }),
      ),
    )

  return {
    kind: 'postgres',
    queries,
    transaction,
    batch: transaction,
    afterCommit: (tx, effect) => effects.add(tx, effect),
    async unhurried(work) {
      const dialect = new PostgresDialect({ pool: createUnhurriedPool(target.url) })
      const apart = new Kysely<Tables>({ dialect })
      return apart
        .connection()
        .execute(work)
        .finally(() => apart.destroy())
    },
    ping,
    close() {
      closed ??= queries.destroy()
      return closed
    },
  }
}
