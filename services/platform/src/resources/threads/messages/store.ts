import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type PageQuery, selectPage } from '@atoll/kernel/db/page'
import type { MessageRow } from './item-row.ts'

const rowsPerInsert = 500

export async function insertMessages(tx: Tx, rows: MessageRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    await tx
      .insertInto('messages')
      .values(rows.slice(at, at + rowsPerInsert))
      .execute()
  }
}

/** Of all items those that a thread shows: what users and assistants said. */
const shownMessages = (queries: Queries, threadId: string) =>
  queries
    .selectFrom('messages')
    .selectAll()
    .where('thread_id', '=', threadId)
    .where('type', '=', 'message')
    .where('role', 'in', ['user', 'assistant'])

export const findMessage = (queries: Queries, threadId: string, id: string) =>
  shownMessages(queries, threadId).where('id', '=', id).executeTakeFirst()

export function listMessages(queries: Queries, threadId: string, runId: string | undefined, page: PageQuery) {
  const messages = shownMessages(queries, threadId)
  return selectPage(runId === undefined ? messages : messages.where('run_id', '=', runId), page)
}

/** The row as it is then; undefined when there is none. */
export const changeMessage = (queries: Queries, threadId: string, id: string, change: Partial<MessageRow>) =>
  queries
    .updateTable('messages')
    .set(change)
    .where('id', '=', id)
    .where('thread_id', '=', threadId)
    .returningAll()
    .executeTakeFirst()

export const finishMessage = (tx: Tx, id: string, change: Partial<MessageRow>) =>
  tx.updateTable('messages').set(change).where('id', '=', id).returningAll().executeTakeFirst()

export const deleteMessage = (tx: Tx, id: string) => tx.deleteFrom('messages').where('id', '=', id).execute()

export const deleteMessagesOf = (tx: Tx, threadId: string, limit: number) => {
  const some = tx.selectFrom('messages').select('id').where('thread_id', '=', threadId).limit(limit)
  return tx.deleteFrom('messages').where('id', 'in', some).returning('id').execute()
}
