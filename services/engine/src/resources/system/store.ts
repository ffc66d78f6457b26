// Who this engine is: one id, made at its first start.
import type { Queries } from '@atoll/kernel/db/database'

export interface IdentityRow {
  /** Always 1: there is one row. */
  one: number
  id: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    engine_identity: IdentityRow
  }
}

const theOne = 1

/** The id that is kept; `fresh` when there was none. */
export async function engineId(queries: Queries, fresh: string): Promise<string> {
  await queries
    .insertInto('engine_identity')
    .values({ one: theOne, id: fresh })
    .onConflict((conflict) => conflict.column('one').doNothing())
    .execute()
  const { id } = await queries
    .selectFrom('engine_identity')
    .select('id')
    .where('one', '=', theOne)
    .executeTakeFirstOrThrow()
  return id
}
