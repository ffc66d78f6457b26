import type { Tx } from '@atoll/kernel/db/database'
import type {} from '../../numbers.ts'

const name = 'created_at'

/** When this cluster first started, in milliseconds since the epoch: `now`, if this is the first time. */
export async function keptBeginning(tx: Tx, now: number): Promise<number> {
  const row = await tx.selectFrom('cluster_numbers').select('last').where('name', '=', name).executeTakeFirst()
  if (row === undefined) await tx.insertInto('cluster_numbers').values({ name, last: now }).execute()
  return row?.last ?? now
}
