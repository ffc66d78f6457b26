import type { Queries } from '@atoll/kernel/db/database'

export interface TokenRow {
  id: string
  digest: string
  created_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    hooks_tokens: TokenRow
  }
}

export const findTokenRow = (queries: Queries, id: string) =>
  queries.selectFrom('hooks_tokens').selectAll().where('id', '=', id).executeTakeFirst()

export const removeTokenRow = (queries: Queries, id: string) =>
  queries.deleteFrom('hooks_tokens').where('id', '=', id).returning('digest').executeTakeFirst()

/** False when there is one already. */
export async function insertTokenRow(queries: Queries, row: TokenRow): Promise<boolean> {
  const added = await queries
    .insertInto('hooks_tokens')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  return added.length > 0
}
