// Fills an empty installation from a backup.
import { mkdir } from 'node:fs/promises'
import { restoreBackup, storeIdOf } from '@atoll/kernel/backup/restore'
import { openUnclaimedBlobs } from '@atoll/kernel/blobs/open-blobs'
import { systemClock } from '@atoll/kernel/clock/clock'
import { openDatabase } from '@atoll/kernel/db/open'
import { createIds } from '@atoll/kernel/ids/ids'
import { kernelMigrations } from '@atoll/kernel/kernel-migrations'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { serviceNames } from '../config.ts'
import { migrationsOf } from '../up/migrations.ts'
import { configOf, databaseOf, type PlaceFlags } from './places.ts'
import { tellingBackup } from './telling.ts'
import { chosen, openVault } from './verify.ts'

export function restore(from: string, flags: PlaceFlags & { snapshot?: string }): Promise<void> {
  return tellingBackup(async () => {
    process.umask(0o077)
    const vault = await openVault(from, flags)
    const manifest = await chosen(vault, flags.snapshot)
    const config = await configOf(flags)
    await mkdir(config.data, { recursive: true, mode: 0o700 })
    const db = await openDatabase(databaseOf(config), { log: createLog({ level: 'error' }) })
    try {
      const storeId = await storeIdOf(vault, manifest)
      const opened = await openUnclaimedBlobs({ config, clock: systemClock, ids: createIds(systemClock), storeId })
      const migrations = [...kernelMigrations, ...(await migrationsOf(serviceNames))]
      await restoreBackup({ db, blobs: opened.blobs, vault, manifest, migrations })
      opened.close()
    } finally {
      await db.close()
    }
    process.stdout.write(`${manifest.id} is restored into ${config.data}: ./atoll up starts it.\n`)
  })
}
