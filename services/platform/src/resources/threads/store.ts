import type { Queries, Tx } from '@atoll/kernel/db/database'

export interface ThreadRow {
  id: string
  project_id: string
  created_at: number
  /** JSON. */
  tool_resources: string
  /** JSON. */
  metadata: string
  message_count: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    threads: ThreadRow
  }
}

export const insertThread = (tx: Tx, row: ThreadRow) => tx.insertInto('threads').values(row).execute()

export const findThread = (queries: Queries, projectId: string, id: string) =>
  queries.selectFrom('threads').selectAll().where('id', '=', id).where('project_id', '=', projectId).executeTakeFirst()

export const changeThread = (tx: Tx, id: string, change: Pick<ThreadRow, 'tool_resources' | 'metadata'>) =>
  tx.updateTable('threads').set(change).where('id', '=', id).execute()

export const setToolResources = (tx: Tx, id: string, tool_resources: string) =>
  tx.updateTable('threads').set({ tool_resources }).where('id', '=', id).execute()

/** False, and no change, when the thread would have more than `maxMessages`. */
export async function countMessages(tx: Tx, id: string, added: number, maxMessages: number): Promise<boolean> {
  const counted = await tx
    .updateTable('threads')
    .set((row) => ({ message_count: row('message_count', '+', added) }))
    .where('id', '=', id)
    .where('message_count', '<=', maxMessages - added)
    .returning('id')
    .executeTakeFirst()
  return counted !== undefined
}

export const deleteThread = (tx: Tx, projectId: string, id: string) =>
  tx.deleteFrom('threads').where('id', '=', id).where('project_id', '=', projectId).returning('id').executeTakeFirst()
