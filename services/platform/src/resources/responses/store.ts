import type { Queries, Tx } from '@atoll/kernel/db/database'
import { sql } from 'kysely'
import type { ResponseRow } from './response-rows.ts'
import type { ResponseStatus } from './schema.ts'

export const insertResponse = (tx: Tx, row: ResponseRow) => tx.insertInto('responses').values(row).execute()

export const findResponse = (queries: Queries, projectId: string, id: string) =>
  queries
    .selectFrom('responses')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()

export const deleteResponse = (tx: Tx, id: string) => tx.deleteFrom('responses').where('id', '=', id).execute()

export interface Link {
  id: string
  previous_id: string | null
  conversation_id: string | null
  status: ResponseStatus
  letters: number
}

/** A response and those before it, newest first, at most so many. */
export async function chainOf(queries: Queries, projectId: string, id: string, limit: number): Promise<Link[]> {
  const columns = sql.raw('id, previous_id, conversation_id, status, letters, project_id')
  const before = sql.raw(
    'before.id, before.previous_id, before.conversation_id, before.status, before.letters, before.project_id',
  )
  const { rows } = await sql<Link & { depth: number }>`
    with recursive chain as (
      select ${columns}, 0 as depth from responses where id = ${id} and project_id = ${projectId}
      union all
      select ${before}, chain.depth + 1 from chain
        join responses as before on before.id = chain.previous_id and before.project_id = chain.project_id
        where chain.depth < ${limit - 1}
    )
    select id, previous_id, conversation_id, status, letters from chain order by depth`.execute(queries)
  return rows
}
