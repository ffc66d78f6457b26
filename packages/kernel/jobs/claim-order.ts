// What a claim asks for and what it writes: the parts that are the same in both spellings.
import type { Queries } from '../db/database.ts'
import type { JobRow } from './row.ts'

export interface ClaimOrder {
  kind: string
  limit: number
  now: number
  leaseUntil: number
  token: string
  nodeId: string
}

/** A job in this node's hands; `token` proves it. */
export interface ClaimedJob extends Pick<JobRow, 'id' | 'kind' | 'payload' | 'run_at' | 'attempts'> {
  token: string
}

export const claimedColumns = ['jobs.id', 'jobs.kind', 'jobs.payload', 'jobs.run_at', 'jobs.attempts'] as const

/** What a claim writes, besides counting the attempt. */
export const claimMark = (order: ClaimOrder) => ({
  state: 'running' as const,
  due_at: order.leaseUntil,
  lease_token: order.token,
  leased_by: order.nodeId,
})

/** What may be claimed: what waits and is due, and what runs on a lease that ended. */
export const dueJobs = (queries: Queries, order: ClaimOrder) =>
  queries
    .selectFrom('jobs')
    .select('jobs.id')
    .where('kind', '=', order.kind)
    .where('due_at', '<=', order.now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(order.limit)
