import type { Queries, Tx } from '@atoll/kernel/db/database'
import { sql } from 'kysely'

export interface FileBatchRow {
  id: string
  store_id: string
  created_at: number
  /** Null: nobody cancelled it. */
  cancel: 'cancelling' | 'cancelled' | null
}

export interface BatchMemberRow {
  batch_id: string
  file_id: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    vector_store_file_batches: FileBatchRow
    vector_store_batch_members: BatchMemberRow
  }
}

export async function insertBatch(tx: Tx, row: FileBatchRow, fileIds: readonly string[]): Promise<void> {
  await tx.insertInto('vector_store_file_batches').values(row).execute()
  const members = fileIds.map((file_id) => ({ batch_id: row.id, file_id }))
  await tx.insertInto('vector_store_batch_members').values(members).execute()
}

export const findBatch = (queries: Queries, storeId: string, id: string) =>
  queries
    .selectFrom('vector_store_file_batches')
    .selectAll()
    .where('id', '=', id)
    .where('store_id', '=', storeId)
    .executeTakeFirst()

export const changeBatch = (tx: Tx, id: string, cancel: FileBatchRow['cancel']) =>
  tx.updateTable('vector_store_file_batches').set({ cancel }).where('id', '=', id).execute()

/** How many of its files are in which state; those that left the store are not counted. */
export async function countMembers(queries: Queries, { id, store_id }: FileBatchRow) {
  const rows = await queries
    .selectFrom('vector_store_batch_members as member')
    .innerJoin('vector_store_files as file', 'file.file_id', 'member.file_id')
    .select(({ fn }) => ['file.status', fn.countAll<number>().as('files')])
    .where('member.batch_id', '=', id)
    .where('file.store_id', '=', store_id)
    .where('file.status', '<>', 'removed')
    .groupBy('file.status')
    .execute()
  return rows.map(({ status, files }) => ({ status, files: Number(files) }))
}

/** Of all batches of a store. */
export async function deleteMembersOf(tx: Tx, storeId: string, limit: number) {
  const batches = sql`select id from vector_store_file_batches where store_id = ${storeId}`
  const some = sql`select batch_id, file_id from vector_store_batch_members where batch_id in (${batches}) limit ${limit}`
  const deletion = sql`delete from vector_store_batch_members where (batch_id, file_id) in (${some}) returning file_id`
  return (await deletion.execute(tx)).rows
}

export const deleteBatchesOf = (tx: Tx, storeId: string, limit: number) => {
  const some = tx.selectFrom('vector_store_file_batches').select('id').where('store_id', '=', storeId).limit(limit)
  return tx.deleteFrom('vector_store_file_batches').where('id', 'in', some).returning('id').execute()
}
