import type { Queries, Tx } from '@atoll/kernel/db/database'

export interface ImageRow {
  id: string
  organization_id: string
  bytes: number
  expires_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    images: ImageRow
  }
}

export const insertImage = (tx: Tx, row: ImageRow) => tx.insertInto('images').values(row).execute()

export const findImage = (queries: Queries, id: string) =>
  queries.selectFrom('images').selectAll().where('id', '=', id).executeTakeFirst()

export const listOverdue = (queries: Queries, now: number, limit: number) =>
  queries
    .selectFrom('images')
    .selectAll()
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Of those, the ones that were still there. */
export const deleteImages = (tx: Tx, ids: readonly string[]) =>
  tx.deleteFrom('images').where('id', 'in', ids).returningAll().execute()
