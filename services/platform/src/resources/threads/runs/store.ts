import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type PageQuery, selectPage } from '@atoll/kernel/db/page'
import { activeStatuses, type RunRow } from './run-rows.ts'

export const insertRun = (tx: Tx, row: RunRow) => tx.insertInto('runs').values(row).execute()

export const listRuns = (queries: Queries, threadId: string, page: PageQuery) =>
  selectPage(queries.selectFrom('runs').selectAll().where('thread_id', '=', threadId), page)

export const findActiveRun = (queries: Queries, threadId: string) =>
  queries
    .selectFrom('runs')
    .selectAll()
    .where('thread_id', '=', threadId)
    .where('status', 'in', activeStatuses)
    .executeTakeFirst()

/** Undefined also when its thread is gone, and the run only on its way. */
export const findRunOf = (queries: Queries, projectId: string, threadId: string, id: string) =>
  queries
    .selectFrom('runs')
    .innerJoin('threads', 'threads.id', 'runs.thread_id')
    .selectAll('runs')
    .where('runs.id', '=', id)
    .where('runs.project_id', '=', projectId)
    .where('runs.thread_id', '=', threadId)
    .executeTakeFirst()

export const setMetadata = (queries: Queries, id: string, metadata: string) =>
  queries.updateTable('runs').set({ metadata }).where('id', '=', id).returningAll().executeTakeFirst()

export const deleteRun = (tx: Tx, id: string) => tx.deleteFrom('runs').where('id', '=', id).execute()

export const deleteRunsOf = (tx: Tx, threadId: string, limit: number) => {
  const some = tx.selectFrom('runs').select('id').where('thread_id', '=', threadId).limit(limit)
  return tx.deleteFrom('runs').where('id', 'in', some).returning('id').execute()
}
