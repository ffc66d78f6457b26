import type { Queries } from '@atoll/kernel/db/database'

interface AgentRow {
  id: string
  assistant_id: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    hooks_agent: AgentRow
  }
}

/** There is one agent. */
const agentId = 'default'

export async function findAssistant(queries: Queries): Promise<string | undefined> {
  const row = await queries.selectFrom('hooks_agent').selectAll().where('id', '=', agentId).executeTakeFirst()
  return row?.assistant_id
}

export const keepAssistant = (queries: Queries, assistant_id: string) =>
  queries
    .insertInto('hooks_agent')
    .values({ id: agentId, assistant_id })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ assistant_id }))
    .execute()
