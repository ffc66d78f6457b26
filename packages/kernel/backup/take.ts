// Takes a backup while others read and write: all rows of one moment, and every blob that these rows refer to.
//
// Blobs never change, and a blob is removed only after the row that referred to it: so blobs are copied first, then a
// moment is chosen, what it refers to besides is copied too, and if one of those was gone meanwhile another moment is
// chosen, which no longer refers to it.
import { randomBytes } from 'node:crypto'
import type { BlobStore, StoredBlob } from '../blobs/blobs.ts'
import type { Clock } from '../clock/clock.ts'
import type { DatabaseTarget } from '../db/open.ts'
import { openSnapshot } from '../db/snapshot/open-snapshot.ts'
import type { Snapshot, TableShape } from '../db/snapshot/snapshot.ts'
import type { Log } from '../telemetry/log.ts'
import { readBlobList, writeBlobList } from './blob-list.ts'
import { type Copied, copyBlobs } from './copy-blobs.ts'
import type { BackedUpTable, Manifest } from './manifest.ts'
import { BackupProblem } from './problem.ts'
import { encodeRow, inChunks } from './row-lines.ts'
import type { Vault } from './vault.ts'

const rowsAtOnce = 500
const mostMoments = 20
const shownKeys = 5

interface BackupNeeds {
  target: DatabaseTarget
  blobs: Pick<BlobStore, 'read'>
  vault: Vault
  clock: Clock
  log: Log
  /** Of this program. */
  version: string
  /** Writes everything anew, whatever earlier backups in the same place have. */
  isFull?: boolean
}

interface Taken {
  manifest: Manifest
  /** Blobs that earlier backups in the same place did not have. */
  freshBlobs: number
}

export async function takeBackup(needs: BackupNeeds): Promise<Taken> {
  const { target, blobs, vault, log } = needs
  const earlier = needs.isFull ? nothingEarlier() : await earlierBackup(vault)
  const copied: Copied = { blobs: earlier.blobs, fresh: 0 }
  const first = await openSnapshot(target, log)
  const early = await segmentsOf(first).finally(() => first.close())
  let gone = new Set<string>()
  await copyBlobs(blobs, vault, early, copied)
  for (let moment = 0; moment < mostMoments; moment++) {
    const snapshot = await openSnapshot(target, log)
    try {
      const madeAt = needs.clock.now()
      const segments = await segmentsOf(snapshot)
      const vanished = await copyBlobs(blobs, vault, segments, copied)
      refuseLost(vanished.filter((key) => gone.has(key)))
      gone = new Set(vanished)
      if (vanished.length > 0) continue
      const manifest = await describe(needs, snapshot, madeAt, earlier.chunks, { segments, copied })
      await vault.writeManifest(manifest)
      return { manifest, freshBlobs: copied.fresh }
    } finally {
      await snapshot.close()
    }
  }
  throw new BackupProblem('Blobs are removed faster than they can be copied: try again when less is deleted.')
}

interface Earlier {
  blobs: Copied['blobs']
  chunks: Set<string>
}

const nothingEarlier = (): Earlier => ({ blobs: new Map(), chunks: new Set() })

/** What need not be written again, by the last backup that can be read. */
async function earlierBackup(vault: Vault): Promise<Earlier> {
  const earlier = nothingEarlier()
  const id = (await vault.snapshots()).at(-1)
  if (id === undefined) return earlier
  const manifest = await vault.readManifest(id)
  for await (const blob of readBlobList(vault, manifest.blobs)) earlier.blobs.set(blob.key, blob)
  for (const { chunks } of [...manifest.tables, manifest.blobs]) {
    for (const { digest } of chunks) earlier.chunks.add(digest)
  }
  return earlier
}

async function segmentsOf(snapshot: Snapshot): Promise<StoredBlob[]> {
  const table = snapshot.tables.find(({ name }) => name === 'blob_segments')
  if (table === undefined) throw new BackupProblem('This database is not one of Atoll: it has no table blob_segments.')
  const [key, bytes] = ['key', 'bytes'].map((column) => table.columns.findIndex(({ name }) => name === column))
  const segments: StoredBlob[] = []
  for await (const rows of snapshot.rows(table, rowsAtOnce)) {
    for (const row of rows) segments.push({ key: String(row[key ?? -1]), bytes: Number(row[bytes ?? -1]) })
  }
  return segments
}

/** Gone at one moment and still referred to at a later one: nobody removed it, it was lost. */
function refuseLost(keys: string[]): void {
  if (keys.length === 0) return
  const more = keys.length > shownKeys ? ` and ${keys.length - shownKeys} more` : ''
  throw new BackupProblem(
    `${keys.length} blobs that the database refers to are not in the store: ${keys.slice(0, shownKeys).join(', ')}${more}.`,
  )
}

async function describe(
  { vault, version, target }: BackupNeeds,
  snapshot: Snapshot,
  madeAt: number,
  known: ReadonlySet<string>,
  { segments, copied }: { segments: readonly StoredBlob[]; copied: Copied },
): Promise<Manifest> {
  const tables: BackedUpTable[] = []
  for (const table of snapshot.tables) tables.push(await writeTable(vault, snapshot, table, known))
  const blobs = segments.flatMap(({ key }) => copied.blobs.get(key) ?? [])
  return {
    id: `${new Date(madeAt).toISOString().replace(/[-:]|\.\d+/g, '')}-${randomBytes(3).toString('hex')}`,
    made_at: madeAt,
    atoll: version,
    database: target.kind,
    migrations: await migrationsOf(snapshot),
    tables,
    blobs: await writeBlobList(vault, blobs, known),
  }
}

async function writeTable(
  vault: Vault,
  snapshot: Snapshot,
  table: TableShape,
  known: ReadonlySet<string>,
): Promise<BackedUpTable> {
  const chunks: BackedUpTable['chunks'] = []
  for await (const { text, rows } of inChunks(linesOf(snapshot, table))) {
    chunks.push({ digest: await vault.writeChunk(text, known), rows })
  }
  return { ...table, rows: chunks.reduce((sum, { rows }) => sum + rows, 0), chunks }
}

async function* linesOf(snapshot: Snapshot, table: TableShape): AsyncGenerator<string> {
  for await (const rows of snapshot.rows(table, rowsAtOnce)) yield* rows.map(encodeRow)
}

async function migrationsOf(snapshot: Snapshot): Promise<string[]> {
  const table = snapshot.tables.find(({ name }) => name === 'migrations')
  const names: string[] = []
  if (table === undefined) return names
  const place = table.columns.findIndex(({ name }) => name === 'name')
  for await (const rows of snapshot.rows(table, rowsAtOnce)) names.push(...rows.map((row) => String(row[place])))
  return names
}
