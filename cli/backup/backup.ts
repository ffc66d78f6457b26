// Takes a backup of the installation that the flags name, whether it runs or not.
import { tarPlace } from '@atoll/kernel/backup/places/tar'
import { takeBackup } from '@atoll/kernel/backup/take'
import { Vault } from '@atoll/kernel/backup/vault'
import { openAllBlobs } from '@atoll/kernel/blobs/open-blobs'
import { systemClock } from '@atoll/kernel/clock/clock'
import { openSnapshot } from '@atoll/kernel/db/snapshot/open-snapshot'
import { createIds } from '@atoll/kernel/ids/ids'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { version } from '../version.ts'
import { configOf, databaseOf, type PlaceFlags, passphraseOf, placeOf } from './places.ts'
import { stepBack } from './step-back.ts'
import { tellingBackup } from './telling.ts'

export function backUp(to: string, flags: PlaceFlags & { full?: boolean }): Promise<void> {
  return tellingBackup(async () => {
    process.umask(0o077)
    stepBack()
    const config = await configOf(flags)
    const passphrase = await passphraseOf(flags)
    const log = createLog({ level: 'error' })
    // Before anything is made: a mistyped folder has no database.
    await (await openSnapshot(databaseOf(config), log)).close()
    const opened = await openAllBlobs({ config, clock: systemClock, ids: createIds(systemClock) })
    const vault = await Vault.open(
      to === '-' ? tarPlace(process.stdout) : await placeOf(to, config),
      passphrase,
      'create',
    )
    const { manifest, freshBlobs } = await takeBackup({
      target: databaseOf(config),
      blobs: opened.blobs,
      vault,
      clock: systemClock,
      log,
      version: version(),
      isFull: flags.full ?? false,
    }).finally(async () => {
      await vault.close()
      opened.close()
    })
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
    const { count, bytes } = manifest.blobs
    // The standard output may be the backup itself.
    process.stderr.write(
      `${manifest.id}: ${rows} rows, ${count} blobs of ${bytes} bytes (${freshBlobs} copied now) in ${vault.description}\n`,
    )
  })
}
