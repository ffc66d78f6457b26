// Whether the database has pgvector, or lets us have it, and where its names and our tables lie.
import { sql } from 'kysely'
import type { Queries } from '../../db/database.ts'

/** The first that goes on reading its index when it is asked for more than it looked at. */
const leastVersion = [0, 8] as const

export interface PgvectorPlace {
  version: string
  /** The schema of the extension's types and operators: it need not be on the search path. */
  names: string
  /** The schema of our tables: whoever copies the rows passes them by. */
  tables: string
}

interface Refused {
  reason: string
}

/** Nothing is changed where it cannot be used, and that is no error. */
export async function findPgvector(queries: Queries): Promise<PgvectorPlace | Refused> {
  const found = (await installed(queries)) ?? (await install(queries))
  if (found === undefined || 'reason' in found) return found ?? { reason: 'the database server does not have it' }
  const [major = 0, minor = 0] = found.version.split('.').map(Number)
  const isOld = major < leastVersion[0] || (major === leastVersion[0] && minor < leastVersion[1])
  if (isOld) return { reason: `it is of version ${found.version}; ${leastVersion.join('.')} or later is needed` }
  const problem = await attempt(() => sql`create schema if not exists ${sql.id(found.tables)}`.execute(queries))
  return problem === undefined ? found : { reason: `the schema for its tables cannot be made: ${problem}` }
}

async function installed(queries: Queries): Promise<PgvectorPlace | undefined> {
  const { rows } = await sql<PgvectorPlace>`
    select extversion as version, nspname as names, current_schema() || '_vector_indexes' as tables
    from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'vector'`.execute(queries)
  return rows[0]
}

async function install(queries: Queries): Promise<PgvectorPlace | Refused | undefined> {
  const { rows } = await sql`select from pg_available_extensions where name = 'vector'`.execute(queries)
  if (rows.length === 0) return undefined
  const problem = await attempt(() => sql`create extension if not exists vector`.execute(queries))
  // Another node may have been quicker.
  return (await installed(queries)) ?? { reason: problem ?? 'it was removed' }
}

const insufficientPrivilege = '42501'
/** Two nodes did the same at once. */
const doneByAnother: readonly unknown[] = ['23505', '42710', '42P06']

/** What the database refuses, in words. */
async function attempt(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string }
    if (doneByAnother.includes(code)) return undefined
    if (code === insufficientPrivilege) return message
    throw error
  }
}
