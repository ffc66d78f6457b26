// What many tests start from is put into a database once, and copied from then on.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createKernel } from '@atoll/kernel/create-kernel'
import { migrate } from '@atoll/kernel/db/migrate'
import type { Migration } from '@atoll/kernel/db/migration'
import { type DatabaseTarget, openDatabase } from '@atoll/kernel/db/open'
import { shared } from './shared-folder.ts'
import { silentLog } from './silent-log.ts'
import { dataDir } from './temp-dir.ts'

export interface Template {
  /** The same for the same content. */
  name: string
  /** Many test files start from it. */
  isCommon: boolean
  /** Leaves no connection open. */
  fill(target: DatabaseTarget): Promise<void>
}

/** With these migrations and no others. */
export const migratedWith = (migrations: readonly Migration[]): Template => ({
  name: `tables_${digest(migrations)}`,
  isCommon: false,
  async fill(target) {
    const db = await openDatabase(target, { log: silentLog })
    await migrate(db, migrations).finally(() => db.close())
  },
})

/** As a kernel finds it that was opened before, with the migrations of these services. */
export const kernelWith = (migrations: readonly Migration[]): Template => ({
  name: `kernel_${digest(migrations)}`,
  isCommon: true,
  async fill(target) {
    const data = target.kind === 'sqlite' ? target.folder : await dataDir()
    const database = { poolSize: 1, ...(target.kind === 'postgres' ? { url: target.url } : {}) }
    const kernel = await createKernel({ config: { data, database, blobs: {} }, log: silentLog, migrations })
    await kernel.close()
  },
})

export async function fillSqlite(folder: string, template: Template): Promise<void> {
  const made = await shared(`sqlite_${template.name}`, (place) => template.fill({ kind: 'sqlite', folder: place }))
  if (made === undefined) return template.fill({ kind: 'sqlite', folder })
  if (existsSync(join(made, 'atoll.db-wal')))
    throw new Error(`${template.name} was not closed: its file is not all of it`)
  await copyFile(join(made, 'atoll.db'), join(folder, 'atoll.db'))
}

function digest(migrations: readonly Migration[]): string {
  const hash = createHash('sha256')
  for (const { name, up } of migrations) hash.update(`${name}\0${up}\0`)
  return hash.digest('hex').slice(0, 16)
}
