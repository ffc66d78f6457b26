import { sql } from 'kysely'
import type { Queries } from './database.ts'

/** Names of the steps this database has taken; asks, and changes nothing. */
export async function appliedMigrations(queries: Queries): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(queries)
  return new Set(rows.map(({ name }) => name))
}
