// Runs the same tests on SQLite and on PostgreSQL.
import type { Database } from '@atoll/kernel/db/database'
import { migrate } from '@atoll/kernel/db/migrate'
import type { Migration } from '@atoll/kernel/db/migration'
import { type DatabaseTarget, openDatabase } from '@atoll/kernel/db/open'
import { afterEach, describe } from 'vitest'
import { createPostgresDatabase, postgresAvailable } from './postgres.ts'
import { silentLog } from './silent-log.ts'
import { tempDir } from './temp-dir.ts'

/** Opens a new, empty database, migrated with `migrations`; closed after the test. */
export type OpenDatabase = (migrations?: Migration[]) => Promise<Database>

export function describeBothDatabases(name: string, tests: (open: OpenDatabase) => void): void {
  describe(`${name} (SQLite)`, () => {
    tests(opener(async () => ({ kind: 'sqlite', folder: await tempDir() })))
  })
  if (postgresAvailable.available) {
    describe(`${name} (PostgreSQL)`, () => {
      tests(opener(async () => ({ kind: 'postgres', url: await createPostgresDatabase() })))
    })
  } else {
    describe.skip(`${name} (PostgreSQL, skipped: ${postgresAvailable.reason})`, () => {
      tests(opener(() => Promise.reject(new Error('skipped'))))
    })
  }
}

function opener(target: () => Promise<DatabaseTarget>): OpenDatabase {
  const opened: Database[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((db) => db.close()))
  })
  return async (migrations = []) => {
    const db = await openDatabase(await target(), { log: silentLog })
    opened.push(db)
    await migrate(db, migrations)
    return db
  }
}
