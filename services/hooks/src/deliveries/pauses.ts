// What an operator has stopped for a while. Durable: a restart resumes nothing.
import type { Queries, Tx } from '@atoll/kernel/db/database'

/** Stands for all of them; no mapping can have this id. */
const everything = '*'

export interface Paused {
  all: boolean
  mappings: string[]
}

export async function readPauses(queries: Queries): Promise<Paused> {
  const rows = await queries.selectFrom('hooks_pauses').select('mapping').orderBy('mapping').execute()
  const names = rows.map(({ mapping }) => mapping)
  return { all: names.includes(everything), mappings: names.filter((name) => name !== everything) }
}

export const addPause = (tx: Tx, since: number, mapping = everything) =>
  tx
    .insertInto('hooks_pauses')
    .values({ mapping, since })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const endPause = (tx: Tx, mapping = everything) =>
  tx.deleteFrom('hooks_pauses').where('mapping', '=', mapping).execute()
