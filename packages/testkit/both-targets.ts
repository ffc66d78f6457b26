// Runs the same tests for an embedded and for a PostgreSQL set-up.
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import { describe } from 'vitest'
import { createPostgresDatabase, postgresAvailable } from './postgres.ts'
import { dataDir } from './temp-dir.ts'
import { fillSqlite, type Template } from './template.ts'

/** The address of a new database, empty or like `template`. */
export type NewTarget = (template?: Template) => Promise<DatabaseTarget>

export const sqliteTarget: NewTarget = async (template) => {
  const folder = await dataDir()
  if (template) await fillSqlite(folder, template)
  return { kind: 'sqlite', folder }
}

export const postgresTarget: NewTarget = async (template) => ({
  kind: 'postgres',
  url: await createPostgresDatabase(template),
})

export function describeBothTargets(name: string, tests: (newTarget: NewTarget) => void): void {
  describeSqlite(name, tests)
  describePostgres(`${name} (PostgreSQL)`, () => tests(postgresTarget))
}

/** For rules and faults of a part whose stores and crashes other files try on both: PostgreSQL in the long form. */
export const describeSqliteOrBoth = process.env.ATOLL_TEST_LONG === '1' ? describeBothTargets : describeSqlite

export function describeSqlite(name: string, tests: (newTarget: NewTarget) => void): void {
  describe(`${name} (SQLite)`, () => tests(sqliteTarget))
}

/** Skipped, with the reason in the name, where the machine has no PostgreSQL. */
export function describePostgres(name: string, tests: () => void): void {
  if (postgresAvailable.available) describe(name, tests)
  else describe.skip(`${name}, skipped: ${postgresAvailable.reason}`, tests)
}
