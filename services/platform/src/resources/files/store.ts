import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type PageQuery, selectPage } from '@atoll/kernel/db/page'
import { together } from '@atoll/kernel/db/together'
import type { FilePurpose } from './schema.ts'

export interface FileRow {
  id: string
  position: number
  organization_id: string
  project_id: string
  filename: string
  purpose: FilePurpose
  bytes: number
  created_at: number
  /** When it is to go by itself. */
  expires_at: number | null
}

/** Bytes of all files of an organization, and of its pending uploads. */
export interface OrganizationStorageRow {
  organization_id: string
  bytes: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    files: FileRow
    organization_storage: OrganizationStorageRow
  }
}

export const insertFile = (tx: Tx, row: FileRow) => tx.insertInto('files').values(row).execute()

export const findFile = (queries: Queries, projectId: string, id: string) =>
  queries.selectFrom('files').selectAll().where('id', '=', id).where('project_id', '=', projectId).executeTakeFirst()

export const findFiles = (queries: Queries, projectId: string, ids: string[]) =>
  queries.selectFrom('files').selectAll().where('id', 'in', ids).where('project_id', '=', projectId).execute()

export const deleteFile = (tx: Tx, projectId: string, id: string) =>
  tx.deleteFrom('files').where('id', '=', id).where('project_id', '=', projectId).returningAll().executeTakeFirst()

export const overdueFiles = (queries: Queries, now: number, limit: number) =>
  queries
    .selectFrom('files')
    .selectAll()
    .where('expires_at', 'is not', null)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute()

export function listFiles(queries: Queries, projectId: string, purpose: FilePurpose | undefined, page: PageQuery) {
  const files = queries.selectFrom('files').selectAll().where('project_id', '=', projectId)
  return selectPage(purpose ? files.where('purpose', '=', purpose) : files, page)
}

/** Adds `bytes` to what the organization stores; false, and no change, when that would exceed `maxBytes`. */
export async function reserveStorage(
  tx: Tx,
  organizationId: string,
  bytes: number,
  maxBytes: number,
): Promise<boolean> {
  const [, reserved] = await together([
    tx
      .insertInto('organization_storage')
      .values({ organization_id: organizationId, bytes: 0 })
      .onConflict((conflict) => conflict.column('organization_id').doNothing())
      .execute(),
    tx
      .updateTable('organization_storage')
      .set((row) => ({ bytes: row('bytes', '+', bytes) }))
      .where('organization_id', '=', organizationId)
      .where('bytes', '<=', maxBytes - bytes)
      .returning('bytes')
      .executeTakeFirst(),
  ])
  return reserved !== undefined
}

export const releaseStorage = (tx: Tx, organizationId: string, bytes: number) =>
  tx
    .updateTable('organization_storage')
    .set((row) => ({ bytes: row('bytes', '-', bytes) }))
    .where('organization_id', '=', organizationId)
    .execute()
