// PostgreSQL has many writers: rows another node is claiming are skipped, not waited for.
import type { Queries } from '../db/database.ts'
import { type ClaimOrder, claimedColumns, claimMark, dueJobs } from './claim-order.ts'

// The pick stands in a `with`: as a subquery the planner may run it more than once and lock more rows than asked for.
export const claimOnPostgres = (queries: Queries, order: ClaimOrder) =>
  queries
    .with('due', () => dueJobs(queries, order).forUpdate().skipLocked())
    .updateTable('jobs')
    .from('due')
    .set(claimMark(order))
    .set((eb) => ({ attempts: eb('jobs.attempts', '+', 1) }))
    .whereRef('jobs.id', '=', 'due.id')
    .returning(claimedColumns)
    .execute()
