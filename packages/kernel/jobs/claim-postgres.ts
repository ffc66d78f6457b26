// PostgreSQL has many writers: rows another node is claiming are skipped, not waited for.
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import {
  type ClaimOrder,
  claimedColumns,
  claimMark,
  fairest,
  firstOfTenant,
  shareOf,
  tenantsInTurn,
} from './claim-order.ts'

// The picks stand in a `with`: as a subquery the planner may run it more than once and lock more rows than asked for.
export const claimOnPostgres = (queries: Queries, order: ClaimOrder) =>
  queries
    .with('due', () => picked(order))
    .updateTable('jobs')
    .from('due')
    .set(claimMark(order))
    .set((eb) => ({ attempts: eb('jobs.attempts', '+', 1) }))
    .whereRef('jobs.id', '=', 'due.id')
    .returning(claimedColumns)
    .execute()

const picked = (order: ClaimOrder) => sql<{ id: string }>`
  (with recursive ${tenantsInTurn(order)},
  mine as materialized (
    select tenants.tenant, tenants.turn, job.id, job.ready_at
    from tenants cross join lateral (${firstOfTenant(order)} for update skip locked) as job)
  select id from (
    select job.id, tenants.turn, ${shareOf(order)} as share from mine as job
    join tenants on tenants.tenant = job.tenant) as shares
  ${fairest(order)})`
