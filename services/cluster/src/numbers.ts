// The numbers that users and databases are called by: 1, 2, 3, and none a second time.
import type { Tx } from '@atoll/kernel/db/database'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    cluster_numbers: { name: string; last: number }
  }
}

export async function nextNumber(tx: Tx, name: string): Promise<number> {
  const row = await tx.selectFrom('cluster_numbers').select('last').where('name', '=', name).executeTakeFirst()
  const next = (row?.last ?? 0) + 1
  if (row === undefined) await tx.insertInto('cluster_numbers').values({ name, last: next }).execute()
  else await tx.updateTable('cluster_numbers').set({ last: next }).where('name', '=', name).execute()
  return next
}
