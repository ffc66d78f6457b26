// A stored file is a list of segments, so joining the parts of an upload copies nothing: rows change hands.
import type { Readable } from 'node:stream'
import type { Database, Queries, Tx } from '../db/database.ts'
import type { Migration } from '../db/migration.ts'
import type { Log } from '../telemetry/log.ts'
import type { BlobStore, ByteRange, LinkedAnswer, StoredBlob } from './blobs.ts'
import { Digests, digestHere } from './digest.ts'
import { Removals } from './removals.ts'
import { SegmentReader, slicesOf } from './segment-reader.ts'
import { deleteSegments, insertSegments, selectSegments } from './segment-rows.ts'

// Half a millisecond of MD5; starting the worker takes two of this thread's.
const smallBytes = 256 * 1024

export const blobMigrations: Migration[] = [
  {
    name: 'kernel/0002-blob-segments',
    async up(db) {
      await db.schema
        .createTable('blob_segments')
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('ordinal', 'bigint', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull().unique())
        .addColumn('bytes', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('blob_segments_primary', ['owner', 'ordinal'])
        .execute()
    },
  },
]

export interface Segments {
  /** Gives an owner, who has none yet, these blobs in this order. From the commit on they are safe from the sweep. */
  keep(tx: Tx, owner: string, segments: readonly StoredBlob[]): Promise<void>
  /** In order; empty for an owner who has none. */
  of(queries: Queries, owner: string): Promise<StoredBlob[]>
  /**
   * Gives all segments of `fromOwners`, in that order, to `toOwner`, and returns them.
   * An owner without segments is refused: the joined file would lack a piece and nobody would know.
   */
  join(tx: Tx, fromOwners: readonly string[], toOwner: string): Promise<StoredBlob[]>
  /** The rows go with the transaction, the blobs in the background after it. */
  release(tx: Tx, owners: readonly string[]): Promise<void>
  /**
   * The bytes of the segments, or a range of them, one open blob at a time.
   * Released blobs stay until this process has read them; a release on another node can end a read half-way.
   * The stream must be consumed or destroyed.
   */
  read(segments: readonly StoredBlob[], range?: ByteRange): Readable
  /** Where a client gets all the bytes from the store itself; undefined where it does not, or they are in pieces. */
  link(segments: readonly StoredBlob[], answer: LinkedAnswer): Promise<string | undefined>
  /** In hexadecimal; computed off the event loop unless there is next to nothing to do. */
  digest(segments: readonly StoredBlob[], algorithm: 'md5', signal: AbortSignal): Promise<string>
  /** Whether this process is reading the blob: the sweep must pass it by. */
  isBeingRead(key: string): boolean
  /** Resolves when no removal is under way. */
  idle(): Promise<void>
}

export interface SegmentsNeeds {
  db: Database
  blobs: BlobStore
  log: Log
}

export function createSegments({ db, blobs, log }: SegmentsNeeds): Segments {
  const removals = new Removals(blobs, log)
  const digests = new Digests()
  const read: Segments['read'] = (segments, range) => {
    const slices = slicesOf(segments, range)
    return new SegmentReader(blobs, slices, removals.pin(slices.map(({ key }) => key)))
  }
  return {
    keep: insertSegments,
    join: joinSegments,
    read,
    of: async (queries, owner) => (await selectSegments(queries, [owner])).map(storedBlob),
    async release(tx, owners) {
      const rows = await selectSegments(tx, owners)
      await deleteSegments(tx, owners)
      const keys = rows.map(({ key }) => key)
      if (keys.length > 0) db.afterCommit(tx, () => removals.remove(keys))
    },
    digest(segments, algorithm, signal) {
      const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0)
      const source = read(segments)
      return bytes <= smallBytes ? digestHere(source, algorithm, signal) : digests.of(source, algorithm, signal)
    },
    async link([first, ...more], answer) {
      return first === undefined || more.length > 0 ? undefined : blobs.link?.(first.key, answer)
    },
    isBeingRead: (key) => removals.isPinned(key),
    idle: () => removals.idle(),
  }
}

/** Three statements for up to 500 owners. Ordinals and owners change together, so the rows are made anew. */
async function joinSegments(tx: Tx, fromOwners: readonly string[], toOwner: string): Promise<StoredBlob[]> {
  const rows = await selectSegments(tx, fromOwners)
  const found = new Set(rows.map(({ owner }) => owner))
  if (found.size !== fromOwners.length) {
    throw new Error(`Cannot join ${fromOwners.length} owners of segments: ${found.size} different ones have any.`)
  }
  const joined = rows.map(storedBlob)
  await deleteSegments(tx, fromOwners)
  await insertSegments(tx, toOwner, joined)
  return joined
}

const storedBlob = ({ key, bytes }: StoredBlob): StoredBlob => ({ key, bytes: Number(bytes) })
