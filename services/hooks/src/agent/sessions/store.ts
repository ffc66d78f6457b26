import type { Queries } from '@atoll/kernel/db/database'
import type { Trust } from '../../actions.ts'

export interface SessionRow {
  id: string
  /** Keys that senders choose live apart from the main session. */
  kind: 'main' | 'hook'
  key: string
  /** Of the platform; null before the first turn, and after a reset. */
  thread_id: string | null
  /** Of the least trusted content that its thread has ever held. */
  trust: Trust
  turns: number
  created_at: number
  used_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    hooks_sessions: SessionRow
  }
}

/** False when it is there already. */
export async function insertSession(queries: Queries, row: SessionRow): Promise<boolean> {
  const added = await queries
    .insertInto('hooks_sessions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['kind', 'key']).doNothing())
    .returning('id')
    .execute()
  return added.length > 0
}

export const findSession = (queries: Queries, kind: SessionRow['kind'], key: string) =>
  queries.selectFrom('hooks_sessions').selectAll().where('kind', '=', kind).where('key', '=', key).executeTakeFirst()

export const sessionById = (queries: Queries, id: string) =>
  queries.selectFrom('hooks_sessions').selectAll().where('id', '=', id).executeTakeFirst()

export const changeSession = (queries: Queries, id: string, change: Partial<SessionRow>) =>
  queries.updateTable('hooks_sessions').set(change).where('id', '=', id).execute()

/** The thread that the session has now: the one given, unless another was there first. */
export async function setThread(queries: Queries, id: string, was: string | null, threadId: string) {
  await queries
    .updateTable('hooks_sessions')
    .set({ thread_id: threadId })
    .where('id', '=', id)
    .where('thread_id', was === null ? 'is' : '=', was)
    .execute()
  return (await sessionById(queries, id))?.thread_id ?? undefined
}

export const newestSessions = (queries: Queries, limit: number) =>
  queries.selectFrom('hooks_sessions').selectAll().orderBy('used_at', 'desc').orderBy('id').limit(limit).execute()

/** Of hooks; unused since. */
export const idleSessions = (queries: Queries, before: number, limit: number) =>
  queries
    .selectFrom('hooks_sessions')
    .selectAll()
    .where('kind', '=', 'hook')
    .where('used_at', '<', before)
    .orderBy('used_at')
    .limit(limit)
    .execute()

/** Unless it was used meanwhile. */
export async function deleteIdleSession(queries: Queries, id: string, before: number): Promise<boolean> {
  const deleted = await queries
    .deleteFrom('hooks_sessions')
    .where('id', '=', id)
    .where('used_at', '<', before)
    .returning('id')
    .execute()
  return deleted.length > 0
}
