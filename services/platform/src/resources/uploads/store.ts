import type { Queries, Tx } from '@atoll/kernel/db/database'
import { deleteInSlices } from '@atoll/kernel/db/slices'
import type { UploadPurpose } from '../files/schema.ts'
import type { UploadStatus } from './schema.ts'

export interface UploadRow {
  id: string
  position: number
  organization_id: string
  project_id: string
  filename: string
  purpose: UploadPurpose
  bytes: number
  status: UploadStatus
  created_at: number
  expires_at: number
}

export interface UploadPartRow {
  id: string
  upload_id: string
  bytes: number
  created_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    uploads: UploadRow
    upload_parts: UploadPartRow
  }
}

export const insertUpload = (tx: Tx, row: UploadRow) => tx.insertInto('uploads').values(row).execute()

export const findUpload = (queries: Queries, projectId: string, id: string) =>
  queries.selectFrom('uploads').selectAll().where('id', '=', id).where('project_id', '=', projectId).executeTakeFirst()

export const setStatus = (tx: Tx, id: string, status: UploadStatus) =>
  tx.updateTable('uploads').set({ status }).where('id', '=', id).execute()

export const insertPart = (tx: Tx, row: UploadPartRow) => tx.insertInto('upload_parts').values(row).execute()

export const listParts = (queries: Queries, uploadId: string) =>
  queries.selectFrom('upload_parts').selectAll().where('upload_id', '=', uploadId).execute()

export async function totalParts(queries: Queries, uploadId: string): Promise<{ count: number; bytes: number }> {
  const { count, bytes } = await queries
    .selectFrom('upload_parts')
    .select((row) => [
      row.fn.countAll<number | string>().as('count'),
      row.fn.sum<number | string | null>('bytes').as('bytes'),
    ])
    .where('upload_id', '=', uploadId)
    .executeTakeFirstOrThrow()
  return { count: Number(count), bytes: Number(bytes ?? 0) } // sums are text on PostgreSQL
}

export const deleteParts = (tx: Tx, uploadId: string) =>
  tx.deleteFrom('upload_parts').where('upload_id', '=', uploadId).returning('id').execute()

export const listOverdue = (queries: Queries, now: number, limit: number) =>
  queries
    .selectFrom('uploads')
    .selectAll()
    .where('status', '=', 'pending')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute()

/** Named one by one: an index has no range of those that are not pending. */
const endedStatuses: UploadStatus[] = ['completed', 'cancelled', 'expired']

export const deleteEndedBefore = (queries: Queries, time: number) =>
  deleteInSlices((limit) => {
    const ended = queries.selectFrom('uploads').select('id').where('status', 'in', endedStatuses)
    const some = ended.where('expires_at', '<', time).limit(limit)
    return queries.deleteFrom('uploads').where('id', 'in', some).returning('id').execute()
  })
