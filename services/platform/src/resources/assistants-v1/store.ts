import type { Queries, Tx } from '@atoll/kernel/db/database'

export interface AssistantStoreRow {
  assistant_id: string
  /** Made for the assistant's files, and nobody else's. */
  vector_store_id: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    assistant_stores: AssistantStoreRow
  }
}

/** In place of the one it had. */
export const keepOwnStore = (tx: Tx, row: AssistantStoreRow) =>
  tx
    .insertInto('assistant_stores')
    .values(row)
    .onConflict((conflict) => conflict.column('assistant_id').doUpdateSet({ vector_store_id: row.vector_store_id }))
    .execute()

export const findOwnStore = (queries: Queries, assistantId: string) =>
  queries.selectFrom('assistant_stores').selectAll().where('assistant_id', '=', assistantId).executeTakeFirst()

export const forgetOwnStore = (tx: Tx, assistantId: string) =>
  tx.deleteFrom('assistant_stores').where('assistant_id', '=', assistantId).returningAll().executeTakeFirst()
