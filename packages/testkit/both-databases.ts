// Runs the same tests on SQLite and on PostgreSQL.
import type { Database } from '@atoll/kernel/db/database'
import { migrate } from '@atoll/kernel/db/migrate'
import type { Migration } from '@atoll/kernel/db/migration'
import { openDatabase } from '@atoll/kernel/db/open'
import { afterEach } from 'vitest'
import { describeBothTargets, type NewTarget } from './both-targets.ts'
import { silentLog } from './silent-log.ts'
import { migratedWith } from './template.ts'

/** Opens a new, empty database, migrated with `migrations`; closed after the test. */
export type OpenDatabase = (migrations?: Migration[]) => Promise<Database>

export function describeBothDatabases(name: string, tests: (open: OpenDatabase) => void): void {
  describeBothTargets(name, (newTarget) => tests(opener(newTarget)))
}

function opener(newTarget: NewTarget): OpenDatabase {
  const opened: Database[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((db) => db.close()))
  })
  return async (migrations = []) => {
    const target = await newTarget(migrations.length > 0 ? migratedWith(migrations) : undefined)
    const db = await openDatabase(target, { log: silentLog })
    opened.push(db)
    await migrate(db, migrations)
    return db
  }
}
