// The rows behind stored files. Few statements however many segments: each list goes in batches.
import type { Queries, Tx } from '../db/database.ts'
import type { StoredBlob } from './blobs.ts'

export interface BlobSegmentRow {
  /** Whose bytes these are: a file's id, an upload part's id. */
  owner: string
  /** Order within the owner, from 0. */
  ordinal: number
  key: string
  bytes: number
}

declare module '../db/database.ts' {
  interface Tables {
    blob_segments: BlobSegmentRow
  }
}

// Far below what one statement may carry (32,766 values on SQLite, 65,535 on PostgreSQL).
const rowsPerStatement = 500

export async function insertSegments(tx: Tx, owner: string, segments: readonly StoredBlob[]): Promise<void> {
  const rows = segments.map(({ key, bytes }, ordinal) => ({ owner, ordinal, key, bytes }))
  for (const batch of batches(rows)) await tx.insertInto('blob_segments').values(batch).execute()
}

/** In the order of the owners given, then of their segments. */
export async function selectSegments(queries: Queries, owners: readonly string[]): Promise<BlobSegmentRow[]> {
  const found = new Map<string, BlobSegmentRow[]>(owners.map((owner) => [owner, []]))
  for (const batch of batches(owners)) {
    const rows = await queries
      .selectFrom('blob_segments')
      .selectAll()
      .where('owner', 'in', batch)
      .orderBy('owner')
      .orderBy('ordinal')
      .execute()
    for (const row of rows) found.get(row.owner)?.push(row)
  }
  return [...found.values()].flat()
}

export async function deleteSegments(tx: Tx, owners: readonly string[]): Promise<void> {
  for (const batch of batches(owners)) await tx.deleteFrom('blob_segments').where('owner', 'in', batch).execute()
}

/** Which of these keys some segment refers to. */
export async function referencedKeys(queries: Queries, keys: readonly string[]): Promise<Set<string>> {
  const referenced = new Set<string>()
  for (const batch of batches(keys)) {
    const rows = await queries.selectFrom('blob_segments').select('key').where('key', 'in', batch).execute()
    for (const { key } of rows) referenced.add(key)
  }
  return referenced
}

/** Every segment there is, in pages, in the order of keys. */
export async function* allSegments(queries: Queries): AsyncGenerator<BlobSegmentRow[]> {
  let after = ''
  for (;;) {
    const page = await queries
      .selectFrom('blob_segments')
      .selectAll()
      .where('key', '>', after)
      .orderBy('key')
      .limit(rowsPerStatement)
      .execute()
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.key
  }
}

function* batches<T>(list: readonly T[]): Generator<T[]> {
  for (let start = 0; start < list.length; start += rowsPerStatement) yield list.slice(start, start + rowsPerStatement)
}
