import type { Queries, Tables, Tx } from '@atoll/kernel/db/database'
import { type PageQuery, selectPage } from '@atoll/kernel/db/page'
import { deleteInSlices } from '@atoll/kernel/db/slices'
import { type ExpressionBuilder, sql } from 'kysely'
import type { FileStatus } from './schema.ts'

export interface StoreFileRow {
  /** Of this attachment: owner of its chunks. The same file attached anew is another one. */
  id: string
  position: number
  store_id: string
  file_id: string
  /** The batch that began it. */
  batch_id: string | null
  /** In whose name it is embedded, as JSON. */
  caller: string
  created_at: number
  /** Those removed stay a while: someone who pages through the list may stand on them. */
  status: FileStatus | 'removed'
  error: string | null
  chunk_tokens: number
  overlap_tokens: number
  /** So many are stored: those with the ordinals below it. */
  chunks: number
  usage_bytes: number
  /** Since the last chunk was stored. */
  failures: number
  removed_at: number | null
  /** As JSON; null where none were given. */
  attributes: string | null
}

export interface StatusCount {
  store_id: string
  status: FileStatus
  files: number
  usage_bytes: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    vector_store_files: StoreFileRow
  }
}

/** What one statement takes. */
const rowsAtOnce = 400

export async function insertFiles(tx: Tx, rows: readonly StoreFileRow[]): Promise<void> {
  for (const some of slices(rows)) await tx.insertInto('vector_store_files').values(some).execute()
}

/** Its file may have been deleted, and with it be on its way out of many stores. */
const isOfFile = ({ exists, selectFrom }: ExpressionBuilder<Tables, 'vector_store_files'>) =>
  exists(selectFrom('files').select('files.id').whereRef('files.id', '=', 'vector_store_files.file_id'))

/** Its store may have been deleted or have expired, and what is in it be on its way. */
const isOfLiveStore = ({ exists, selectFrom }: ExpressionBuilder<Tables, 'vector_store_files'>) =>
  exists(
    selectFrom('vector_stores')
      .select('vector_stores.id')
      .whereRef('vector_stores.id', '=', 'vector_store_files.store_id')
      .where('vector_stores.expired', '=', 0),
  )

export async function findFiles(queries: Queries, storeId: string, fileIds: readonly string[]) {
  const found: StoreFileRow[] = []
  for (const some of slices(fileIds)) {
    const files = queries.selectFrom('vector_store_files').selectAll().where('store_id', '=', storeId).where(isOfFile)
    found.push(...(await files.where('file_id', 'in', some).execute()))
  }
  return found
}

export async function deleteFiles(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const some of slices(ids)) await tx.deleteFrom('vector_store_files').where('id', 'in', some).execute()
}

/** Of a store that is there. */
export const findAttachment = (queries: Queries, id: string) =>
  queries.selectFrom('vector_store_files').selectAll().where('id', '=', id).where(isOfLiveStore).executeTakeFirst()

export const findAttachments = (queries: Queries, ids: readonly string[]) =>
  queries
    .selectFrom('vector_store_files')
    .select(['id', 'file_id', 'attributes'])
    .where('id', 'in', ids)
    .where('status', '<>', 'removed')
    .where(isOfFile)
    .execute()

/** What is searched of a store, a page at a time. */
export const listAttributes = (
  queries: Queries,
  storeId: string,
  after: { position: number; id: string },
  limit: number,
) =>
  queries
    .selectFrom('vector_store_files')
    .select(['id', 'position', 'attributes'])
    .where('store_id', '=', storeId)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('position', 'id'), '>', tuple(after.position, after.id)))
    .where('status', '<>', 'removed')
    .orderBy('position')
    .orderBy('id')
    .limit(limit)
    .execute()

export const attachmentsOf = (queries: Queries, fileId: string, limit: number) =>
  queries
    .selectFrom('vector_store_files')
    .selectAll()
    .where('file_id', '=', fileId)
    .where('status', '<>', 'removed')
    .limit(limit)
    .execute()

export interface FilesQuery {
  storeId: string
  status?: FileStatus | undefined
  /** Members of this batch alone. */
  batchId?: string | undefined
}

export function listFiles(queries: Queries, { storeId, status, batchId }: FilesQuery, page: PageQuery) {
  let files = queries.selectFrom('vector_store_files').selectAll().where('store_id', '=', storeId).where(isOfFile)
  files = status === undefined ? files.where('status', '<>', 'removed') : files.where('status', '=', status)
  if (batchId !== undefined) {
    const members = queries.selectFrom('vector_store_batch_members').select('file_id').where('batch_id', '=', batchId)
    files = files.where('file_id', 'in', members)
  }
  return selectPage(files, page)
}

export const findFileWithChunks = (queries: Queries, storeId: string) =>
  queries
    .selectFrom('vector_store_files')
    .select('caller')
    .where('store_id', '=', storeId)
    .where('chunks', '>', 0)
    .limit(1)
    .executeTakeFirst()

export async function countFiles(queries: Queries, storeIds: readonly string[]): Promise<StatusCount[]> {
  if (storeIds.length === 0) return []
  const rows = await queries
    .selectFrom('vector_store_files')
    .select(({ fn }) => [
      'store_id',
      'status',
      fn.countAll<number>().as('files'),
      fn.sum<number>('usage_bytes').as('usage_bytes'),
    ])
    .where('store_id', 'in', storeIds)
    .where('status', '<>', 'removed')
    .groupBy(['store_id', 'status'])
    .execute()
  return rows.map((row) => ({
    ...row,
    status: row.status as FileStatus,
    files: Number(row.files),
    usage_bytes: Number(row.usage_bytes),
  }))
}

export interface Growth {
  chunks: number
  usageBytes: number
  /** Nothing comes after it. */
  isLast: boolean
}

/** Stores some more chunks' worth; undefined when it, or its store, is no longer open, or has other chunks than thought. */
export const growFile = (tx: Tx, row: StoreFileRow, { chunks, usageBytes, isLast }: Growth) =>
  tx
    .updateTable('vector_store_files')
    .set((eb) => ({
      ...(isLast ? { status: 'completed' as const } : {}),
      chunks: eb('chunks', '+', chunks),
      usage_bytes: eb('usage_bytes', '+', usageBytes),
      failures: 0,
    }))
    .where('id', '=', row.id)
    .where('status', '=', 'in_progress')
    .where('chunks', '=', row.chunks)
    .where(isOfLiveStore)
    .returningAll()
    .executeTakeFirst()

/** Changes a file that is still in progress; undefined when it is not. */
export const changeOpenFile = (queries: Queries, id: string, change: Partial<StoreFileRow>) =>
  queries
    .updateTable('vector_store_files')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', 'in_progress')
    .returningAll()
    .executeTakeFirst()

export const countFailure = (queries: Queries, id: string) =>
  queries
    .updateTable('vector_store_files')
    .set((eb) => ({ failures: eb('failures', '+', 1) }))
    .where('id', '=', id)
    .where('status', '=', 'in_progress')
    .returning('failures')
    .executeTakeFirst()

export const changeFile = (queries: Queries, id: string, change: Partial<StoreFileRow>) =>
  queries.updateTable('vector_store_files').set(change).where('id', '=', id).execute()

export async function changeFiles(tx: Tx, ids: readonly string[], change: Partial<StoreFileRow>): Promise<void> {
  for (const some of slices(ids))
    await tx.updateTable('vector_store_files').set(change).where('id', 'in', some).execute()
}

/** Each gets its own attributes. */
export async function describeFiles(tx: Tx, files: readonly { id: string; attributes: string }[]): Promise<void> {
  for (const some of slices(files)) {
    const pairs = sql.join(some.map(({ id, attributes }) => sql`(${id}, ${attributes})`))
    // Both databases call the columns of a list of values so.
    await sql`update vector_store_files set attributes = given.column2
      from (values ${pairs}) as given where vector_store_files.id = given.column1`.execute(tx)
  }
}

export const cancelFiles = (tx: Tx, batchId: string) =>
  tx
    .updateTable('vector_store_files')
    .set({ status: 'cancelled' })
    .where('batch_id', '=', batchId)
    .where('status', '=', 'in_progress')
    .execute()

/** Those that were cancelled with a batch and still have chunks. */
export const cancelledWithChunks = (tx: Tx, batchId: string) =>
  tx
    .selectFrom('vector_store_files')
    .selectAll()
    .where('batch_id', '=', batchId)
    .where('status', '=', 'cancelled')
    .where('chunks', '>', 0)
    .execute()

export const deleteFilesOf = (tx: Tx, storeId: string, limit: number) => {
  const some = tx.selectFrom('vector_store_files').select('id').where('store_id', '=', storeId).limit(limit)
  return tx.deleteFrom('vector_store_files').where('id', 'in', some).returning('id').execute()
}

export const deleteRemovedBefore = (queries: Queries, time: number) =>
  deleteInSlices((limit) => {
    const removed = queries.selectFrom('vector_store_files').select('id').where('removed_at', '<', time)
    const some = removed.where('chunks', '=', 0).limit(limit)
    return queries.deleteFrom('vector_store_files').where('id', 'in', some).returning('id').execute()
  })

function* slices<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += rowsAtOnce) yield items.slice(at, at + rowsAtOnce)
}
