// Runs the same tests for an embedded and for a PostgreSQL set-up.
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import { describe } from 'vitest'
import { createPostgresDatabase, postgresAvailable } from './postgres.ts'
import { tempDir } from './temp-dir.ts'

/** A new, empty database's address. */
export type NewTarget = () => Promise<DatabaseTarget>

export const sqliteTarget: NewTarget = async () => ({ kind: 'sqlite', folder: await tempDir() })
export const postgresTarget: NewTarget = async () => ({ kind: 'postgres', url: await createPostgresDatabase() })

export function describeBothTargets(name: string, tests: (newTarget: NewTarget) => void): void {
  describeSqlite(name, tests)
  describePostgres(`${name} (PostgreSQL)`, () => tests(postgresTarget))
}

export function describeSqlite(name: string, tests: (newTarget: NewTarget) => void): void {
  describe(`${name} (SQLite)`, () => tests(sqliteTarget))
}

/** Skipped, with the reason in the name, where the machine has no PostgreSQL. */
export function describePostgres(name: string, tests: () => void): void {
  if (postgresAvailable.available) describe(name, tests)
  else describe.skip(`${name}, skipped: ${postgresAvailable.reason}`, tests)
}
