// Brings a database to the schema this program knows. Forward only; safe from several nodes at once.
import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { systemClock } from '../clock/clock.ts'
import type { Log } from '../telemetry/log.ts'
import type { Database } from './database.ts'
import type { Migration } from './migration.ts'
import { BytewiseText, refuseLocaleText } from './postgres/bytewise-text.ts'
import { hasCode } from './postgres/retry.ts'
import { refusal, schemaState } from './schema-state.ts'

interface MigrationTables {
  migrations: { name: string; applied_at: number }
}

type Connection = Kysely<MigrationTables>

const lockWaitMs = 500
const lockNotAvailable = '55P03'
/** Between two tries; requests that came meanwhile have their turns. */
const firstPauseMs = 500
const mostPauseMs = 10_000

/** Any number, the same in every node. */
const lockKey = 7_213_665

/** `log` is told what a migration waits for. */
export async function migrate(db: Database, migrations: readonly Migration[], log?: Log): Promise<void> {
  refuseDuplicates(migrations)
  // Waiting for another node's migration, or building an index, may take longer than a statement usually may.
  await db.unhurried((queries) => {
    const connection = queries as unknown as Connection
    if (db.kind === 'sqlite') return run(connection, migrations, apply)
    return runAlone(connection.withPlugin(new BytewiseText()), migrations, log)
  })
}

/** The lock belongs to the connection, so that it goes with a node that dies. */
async function runAlone(connection: Connection, migrations: readonly Migration[], log?: Log): Promise<void> {
  await sql`select pg_advisory_lock(${lockKey})`.execute(connection)
  await run(connection, migrations, (_, migration) => applyWhenFree(connection, migration, log))
  await refuseLocaleText(connection)
}

async function run(connection: Connection, migrations: readonly Migration[], step: typeof apply): Promise<void> {
  await connection.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute()
  const applied = new Set((await connection.selectFrom('migrations').select('name').execute()).map((row) => row.name))
  const problem = refusal(schemaState(applied, migrations))
  if (problem !== undefined) throw new Error(problem)
  for (const migration of migrations) {
    if (!applied.has(migration.name)) await step(connection, migration)
  }
}

/**
 * Whoever waits for a table holds up all who come after: readers too. So it waits for a moment only, and comes back
 * later, as long as somebody holds it: a backup reads for hours.
 */
async function applyWhenFree(connection: Connection, migration: Migration, log?: Log): Promise<void> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(mostPauseMs, pauseMs * 2)) {
    await sql`set lock_timeout = ${sql.lit(lockWaitMs)}`.execute(connection)
    try {
      return await apply(connection, migration)
    } catch (error) {
      if (!hasCode(error, [lockNotAvailable])) throw error
      log?.warn({ migration: migration.name }, 'A migration waits for a table that somebody else holds')
    }
    await pause(pauseMs)
  }
}

async function apply(connection: Connection, migration: Migration): Promise<void> {
  await connection.transaction().execute(async (tx) => {
    // On SQLite, two parts of one process may migrate at once: the second finds the row here.
    const row = await tx.selectFrom('migrations').select('name').where('name', '=', migration.name).executeTakeFirst()
    if (row) return
    await migration.up(tx as unknown as Kysely<unknown>)
    await tx.insertInto('migrations').values({ name: migration.name, applied_at: systemClock.now() }).execute()
  })
}

function refuseDuplicates(migrations: readonly Migration[]): void {
  const names = migrations.map((migration) => migration.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) throw new Error(`two migrations are named ${twice}`)
}
