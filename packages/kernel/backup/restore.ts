// Fills an empty installation from a backup. The rows come last: what they refer to is there before.
import { pipeline } from 'node:stream/promises'
import type { BlobStore } from '../blobs/blobs.ts'
import type { Database } from '../db/database.ts'
import type { Migration } from '../db/migration.ts'
import { fillDatabase } from '../db/snapshot/fill.ts'
import type { Row } from '../db/snapshot/snapshot.ts'
import { readBlobList } from './blob-list.ts'
import { inLanes } from './lanes.ts'
import type { BackedUpBlob, BackedUpTable, Manifest } from './manifest.ts'
import { Checked } from './measured.ts'
import { decodeRows } from './row-lines.ts'
import type { Vault } from './vault.ts'

const copiesAtOnce = 4

interface RestoreNeeds {
  db: Database
  blobs: BlobStore
  vault: Vault
  manifest: Manifest
  migrations: readonly Migration[]
}

export function restoreBackup({ db, blobs, vault, manifest, migrations }: RestoreNeeds): Promise<void> {
  return fillDatabase(db, {
    migrations,
    applied: manifest.migrations,
    tables: manifest.tables,
    rows: (table) => rowsOf(vault, manifest, table.name),
    besides: () =>
      inLanes(readBlobList(vault, manifest.blobs), copiesAtOnce, (blob) => restoreBlob(vault, blobs, blob)),
  })
}

/** Whose blobs these are; undefined in backups of versions that had no buckets. */
export async function storeIdOf(vault: Vault, manifest: Manifest): Promise<string | undefined> {
  for await (const [row] of rowsOf(vault, manifest, 'blob_store')) return row === undefined ? undefined : String(row[1])
  return undefined
}

async function* rowsOf(vault: Vault, { tables }: Manifest, name: string): AsyncGenerator<Row[]> {
  const { chunks } = tables.find((table): table is BackedUpTable => table.name === name) ?? { chunks: [] }
  for (const { digest } of chunks) yield decodeRows(await vault.readChunk(digest))
}

/** One that is there was brought whole by an earlier try. */
async function restoreBlob(vault: Vault, blobs: BlobStore, { key, bytes, sha256 }: BackedUpBlob): Promise<void> {
  if ((await blobs.size(key)) === bytes) return
  const checked = new Checked({ bytes, sha256, name: `The blob ${key}` })
  const source = await vault.readBlob(key)
  const writing = blobs.write(checked, { maxBytes: bytes, key }).catch((error) => {
    checked.destroy(error)
    throw error
  })
  await Promise.all([writing, pipeline(source, checked)])
}
