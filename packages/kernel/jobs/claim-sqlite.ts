// SQLite has one writer, so a plain update is alone.
import type { Queries } from '../db/database.ts'
import { type ClaimOrder, claimedColumns, claimMark, dueJobs } from './claim-order.ts'

export const claimOnSqlite = (queries: Queries, order: ClaimOrder) =>
  queries
    .updateTable('jobs')
    .set(claimMark(order))
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', 'in', dueJobs(queries, order))
    .returning(claimedColumns)
    .execute()
