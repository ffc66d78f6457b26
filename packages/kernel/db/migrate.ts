// Brings a database to the schema this program knows. Forward only; safe from several nodes at once.
import { type Kysely, sql } from 'kysely'
import { systemClock } from '../clock/clock.ts'
import type { Database } from './database.ts'
import type { Migration } from './migration.ts'
import { BytewiseText, refuseLocaleText } from './postgres/bytewise-text.ts'
import { refusal, schemaState } from './schema-state.ts'

interface MigrationTables {
  migrations: { name: string; applied_at: number }
}

type Connection = Kysely<MigrationTables>

/** Any number, the same in every node. */
const lockKey = 7_213_665

export async function migrate(db: Database, migrations: readonly Migration[]): Promise<void> {
  refuseDuplicates(migrations)
  const queries = db.queries as unknown as Connection
  if (db.kind === 'sqlite') return await run(queries, migrations)
  await queries.connection().execute((connection) => runAlone(connection.withPlugin(new BytewiseText()), migrations))
}

/** The lock belongs to the connection, so that it goes with a node that dies. */
async function runAlone(connection: Connection, migrations: readonly Migration[]): Promise<void> {
  // Waiting for another node's migration, or building an index, may take longer than a statement usually may.
  await sql`set statement_timeout = 0`.execute(connection)
  await sql`select pg_advisory_lock(${lockKey})`.execute(connection)
  try {
    await run(connection, migrations)
    await refuseLocaleText(connection)
  } finally {
    await sql`select pg_advisory_unlock(${lockKey})`.execute(connection)
    await sql`reset statement_timeout`.execute(connection)
  }
}

async function run(connection: Connection, migrations: readonly Migration[]): Promise<void> {
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
    if (!applied.has(migration.name)) await apply(connection, migration)
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
