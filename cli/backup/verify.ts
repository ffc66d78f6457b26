// Looks at backups.
import type { Manifest } from '@atoll/kernel/backup/manifest'
import { BackupProblem } from '@atoll/kernel/backup/problem'
import { Vault } from '@atoll/kernel/backup/vault'
import { verifyBackup } from '@atoll/kernel/backup/verify'
import { configOf, type PlaceFlags, passphraseOf, placeOf } from './places.ts'
import { stepBack } from './step-back.ts'
import { tellingBackup } from './telling.ts'

const shownDamage = 50

export async function openVault(from: string, flags: PlaceFlags): Promise<Vault> {
  return Vault.open(await placeOf(from, await configOf(flags)), await passphraseOf(flags), 'existing')
}

export async function chosen(vault: Vault, id: string | undefined): Promise<Manifest> {
  const ids = await vault.snapshots()
  const wanted = id ?? ids.at(-1)
  if (wanted === undefined) throw new BackupProblem(`No backup in ${vault.description} has come to its end.`)
  if (!ids.includes(wanted))
    throw new BackupProblem(`${vault.description} has no backup ${wanted}; see ./atoll backup list.`)
  return vault.readManifest(wanted)
}

export function verify(from: string, flags: PlaceFlags & { snapshot?: string }): Promise<void> {
  return tellingBackup(async () => {
    stepBack()
    const vault = await openVault(from, flags)
    const manifest = await chosen(vault, flags.snapshot)
    const { damage, rows, blobs, bytes } = await verifyBackup(vault, manifest)
    for (const line of damage.slice(0, shownDamage)) process.stdout.write(`${line}\n`)
    if (damage.length > 0) {
      process.stdout.write(`${manifest.id} is damaged in ${damage.length} places.\n`)
      process.exitCode = 1
    } else process.stdout.write(`${manifest.id} is whole: ${rows} rows, ${blobs} blobs of ${bytes} bytes.\n`)
  })
}

export function list(from: string, flags: PlaceFlags): Promise<void> {
  return tellingBackup(async () => {
    const vault = await openVault(from, flags)
    for (const id of await vault.snapshots()) process.stdout.write(`${id}\n`)
  })
}
