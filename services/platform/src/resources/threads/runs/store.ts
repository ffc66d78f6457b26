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

export const setMetadata = (queries: Queries, id: string, metadata: string) =>
  queries.updateTable('runs').set({ metadata }).where('id', '=', id).returningAll().executeTakeFirst()

export const deleteRunsOf = (tx: Tx, threadId: string) =>
  tx.deleteFrom('runs').where('thread_id', '=', threadId).execute()
