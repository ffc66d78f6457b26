import type { Queries, Tables, Tx } from '@atoll/kernel/db/database'
import { type PageQuery, selectPage } from '@atoll/kernel/db/page'
import type { ExpressionBuilder } from 'kysely'

export interface VectorStoreRow {
  id: string
  position: number
  project_id: string
  created_at: number
  name: string | null
  description: string | null
  metadata: string
  /** What embeds its chunks and the queries, for as long as it lives. */
  model: string
  /** Of a vector. Null: as the model gives them. */
  dimensions: number | null
  /** Which model made its vectors: see editions.ts. */
  edition: string | null
  /** How far it is with being embedded again, as JSON; null where nobody does that. */
  upgrade: string | null
  expires_after_days: number | null
  expires_at: number | null
  last_active_at: number
  /** 1 once its contents are gone. */
  expired: 0 | 1
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    vector_stores: VectorStoreRow
  }
}

export const insertStore = (tx: Tx, row: VectorStoreRow) => tx.insertInto('vector_stores').values(row).execute()

export const findStore = (queries: Queries, projectId: string, id: string) =>
  queries
    .selectFrom('vector_stores')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()

/** Of any project. */
export const findAnyStore = (queries: Queries, id: string) =>
  queries.selectFrom('vector_stores').selectAll().where('id', '=', id).executeTakeFirst()

/** Of all projects, by their ids; those that have expired are left out. */
export const storesAfter = (queries: Queries, id: string, limit: number) =>
  queries
    .selectFrom('vector_stores')
    .selectAll()
    .where('id', '>', id)
    .where('expired', '=', 0)
    .orderBy('id')
    .limit(limit)
    .execute()

/** Those that are being embedded again. */
export const upgradingStores = (queries: Queries) =>
  queries
    .selectFrom('vector_stores')
    .select(['id', 'name', 'upgrade'])
    .where('upgrade', 'is not', null)
    .where('expired', '=', 0)
    .$narrowType<{ upgrade: string }>()
    .execute()

export const listStores = (queries: Queries, projectId: string, page: PageQuery) =>
  selectPage(queries.selectFrom('vector_stores').selectAll().where('project_id', '=', projectId), page)

export const changeStore = (queries: Queries, id: string, change: Partial<VectorStoreRow>) =>
  queries.updateTable('vector_stores').set(change).where('id', '=', id).returningAll().executeTakeFirst()

/** One that has vectors of another edition already is of a mixed one from then on. */
export function noteEdition(tx: Tx, id: string, { edition, mixed }: { edition: string | null; mixed: string }) {
  return tx
    .updateTable('vector_stores')
    .set((eb) => ({ edition: eb.case().when(hasVectors(eb)).then(mixed).else(edition).end() }))
    .where('id', '=', id)
    .where((eb) =>
      edition === null
        ? eb('edition', '<>', mixed)
        : eb.or([eb('edition', 'is', null), eb('edition', 'not in', [edition, mixed])]),
    )
    .execute()
}

const hasVectors = ({ exists, selectFrom }: ExpressionBuilder<Tables, 'vector_stores'>) =>
  exists(
    selectFrom('vector_store_files')
      .select('vector_store_files.id')
      .whereRef('vector_store_files.store_id', '=', 'vector_stores.id')
      .where('status', '<>', 'removed')
      .where('usage_bytes', '>', 0),
  )

export const deleteStore = (tx: Tx, id: string) => tx.deleteFrom('vector_stores').where('id', '=', id).execute()

export const overdueStores = (queries: Queries, now: number, limit: number) =>
  queries
    .selectFrom('vector_stores')
    .select('id')
    .where('expired', '=', 0)
    .where('expires_at', '<=', now)
    .limit(limit)
    .execute()

/** Marks it, unless someone used it meanwhile. */
export const expireStore = (tx: Tx, id: string, now: number) =>
  tx
    .updateTable('vector_stores')
    .set({ expired: 1 })
    .where('id', '=', id)
    .where('expired', '=', 0)
    .where('expires_at', '<=', now)
    .returning('id')
    .executeTakeFirst()
