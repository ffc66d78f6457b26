// Copies a database of one engine into an empty one of the other.
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { appliedMigrations } from '@atoll/kernel/db/applied-migrations'
import { type DatabaseTarget, openDatabase } from '@atoll/kernel/db/open'
import { fillDatabase } from '@atoll/kernel/db/snapshot/fill'
import { openSnapshot } from '@atoll/kernel/db/snapshot/open-snapshot'
import { kernelMigrations } from '@atoll/kernel/kernel-migrations'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { CommandProblem } from '../command-problem.ts'
import { serviceNames } from '../config.ts'
import { ask } from '../control/ask.ts'
import { databasePlace } from '../database-place.ts'
import { migrationsOf } from '../up/migrations.ts'
import { configOf, databaseOf, type PlaceFlags } from './places.ts'
import { tellingBackup } from './telling.ts'

const rowsAtOnce = 2_000

export function move({ to, ...flags }: PlaceFlags & { to: string }): Promise<void> {
  return tellingBackup(async () => {
    process.umask(0o077)
    const config = await configOf(flags)
    if ((await ask(config.data, 'status')) !== undefined) {
      throw new CommandProblem(`Atoll runs on ${config.data}: stop it first, or what it writes meanwhile stays behind.`)
    }
    const log = createLog({ level: 'error' })
    const [from, target] = [databaseOf(config), await targetOf(to)]
    // For SQLite: nobody else has it open for writing until this ends.
    const source = await openDatabase(from, { log })
    try {
      const applied = [...(await appliedMigrations(source.queries))]
      const snapshot = await openSnapshot(from, log)
      const db = await openDatabase(target, { log })
      const migrations = [...kernelMigrations, ...(await migrationsOf(serviceNames))]
      const rows = (table: (typeof snapshot.tables)[number]) => snapshot.rows(table, rowsAtOnce)
      await fillDatabase(db, { migrations, applied, tables: snapshot.tables, rows }).finally(async () => {
        await snapshot.close()
        await db.close()
      })
    } finally {
      await source.close()
    }
    process.stdout.write(
      `The rows are in ${target.kind === 'sqlite' ? target.folder : databasePlace(target.url)} now.\n`,
    )
  })
}

async function targetOf(to: string): Promise<DatabaseTarget> {
  if (/^postgres(ql)?:\/\//.test(to)) return { kind: 'postgres', url: to }
  if (to.includes('://')) throw new CommandProblem('--to is an address of PostgreSQL, or a folder for SQLite.')
  const folder = resolve(to)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return { kind: 'sqlite', folder }
}
