import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type PageQuery, selectPage } from '@atoll/kernel/db/page'
import type { MessageRow } from '../../threads/messages/item-row.ts'

const rowsPerInsert = 500

export async function insertItems(tx: Tx, rows: readonly MessageRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    await tx
      .insertInto('messages')
      .values(rows.slice(at, at + rowsPerInsert))
      .execute()
  }
}

export const changeItem = (tx: Tx, id: string, change: Partial<MessageRow>) =>
  tx.updateTable('messages').set(change).where('id', '=', id).execute()

export const listItems = (queries: Queries, ownerId: string, page: PageQuery) =>
  selectPage(queries.selectFrom('messages').selectAll().where('thread_id', '=', ownerId), page)

export const listItemsOf = (queries: Queries, responseId: string, source: 'input' | 'output', page: PageQuery) =>
  selectPage(
    queries.selectFrom('messages').selectAll().where('run_id', '=', responseId).where('source', '=', source),
    page,
  )

export const itemsFrom = (queries: Queries, responseId: string, source: 'input' | 'output') =>
  queries
    .selectFrom('messages')
    .selectAll()
    .where('run_id', '=', responseId)
    .where('source', '=', source)
    .orderBy('position')
    .orderBy('id')
    .execute()

/** All that these responses were brought and have written, oldest first. */
export const itemsOfResponses = (queries: Queries, responseIds: readonly string[]) =>
  queries
    .selectFrom('messages')
    .selectAll()
    .where('run_id', 'in', responseIds)
    .orderBy('position')
    .orderBy('id')
    .execute()

export const findItem = (queries: Queries, ownerId: string, id: string) =>
  queries.selectFrom('messages').selectAll().where('id', '=', id).where('thread_id', '=', ownerId).executeTakeFirst()

/** Of one project, whether they belong to a conversation or to a response. */
export const findItems = (queries: Queries, projectId: string, ids: readonly string[]) =>
  queries
    .selectFrom('messages')
    .leftJoin('threads', 'threads.id', 'messages.thread_id')
    .leftJoin('responses', 'responses.id', 'messages.thread_id')
    .selectAll('messages')
    .where('messages.id', 'in', ids)
    .where((row) => row.or([row('threads.project_id', '=', projectId), row('responses.project_id', '=', projectId)]))
    .execute()

export const deleteItem = (tx: Tx, id: string) => tx.deleteFrom('messages').where('id', '=', id).execute()

export const deleteItemsOf = (tx: Tx, ownerId: string) =>
  tx.deleteFrom('messages').where('thread_id', '=', ownerId).execute()
