// What a claim asks for, which tenants come into question, and what it writes: the same in both spellings.
import { type RawBuilder, sql } from 'kysely'
import type { JobRow } from './row.ts'

export interface ClaimOrder {
  kind: string
  limit: number
  leaseUntil: number
  token: string
  nodeId: string
  /** Turns begin behind this tenant, which had the last one. */
  lastTenant: string
  /** How many each tenant has running on this node. */
  running: ReadonlyMap<string, number>
  tenantConcurrency: number
  /** Tenants that are left alone. */
  held: readonly string[]
}

/** A job in this node's hands; `token` proves it. */
export interface ClaimedJob
  extends Pick<JobRow, 'id' | 'kind' | 'payload' | 'run_at' | 'attempts' | 'tenant' | 'lane' | 'unique_key'> {
  token: string
  /** When the lease ends, unless it is renewed. */
  leaseUntil: number
}

export const claimedColumns = [
  ...(['jobs.id', 'jobs.kind', 'jobs.payload', 'jobs.run_at', 'jobs.attempts'] as const),
  ...(['jobs.tenant', 'jobs.lane', 'jobs.unique_key'] as const),
] as const

/** What a claim writes, besides counting the attempt. */
export const claimMark = ({ leaseUntil, token, nodeId }: Pick<ClaimOrder, 'leaseUntil' | 'token' | 'nodeId'>) => ({
  state: 'running' as const,
  ready_at: null,
  due_at: leaseUntil,
  lease_token: token,
  leased_by: nodeId,
})

/**
 * The tenants whose turn it is, as common table expressions that end with `tenants (tenant, turn)`. From one to the next
 * by a look into the index each: how many jobs a tenant has does not matter, and no more tenants are looked at than needed.
 */
export function tenantsInTurn({ kind, limit, lastTenant, running, held }: ClaimOrder): RawBuilder<unknown> {
  const most = limit + running.size + held.length
  const first = (which: RawBuilder<unknown>) => sql`
    (select job.tenant from jobs as job where job.kind = ${kind} and job.ready_at is not null and ${which}
     order by job.tenant limit 1)`
  const others = held.length === 0 ? sql`` : sql`and tenant not in (${sql.join(held)})`
  return sql`
    behind (turn, tenant) as (
      select 1, ${first(sql`job.tenant > ${lastTenant}`)}
      union all
      select behind.turn + 1, ${first(sql`job.tenant > behind.tenant`)}
      from behind where behind.tenant is not null and behind.turn < ${sql.lit(most)}),
    before (turn, tenant) as (
      select 1, ${first(sql`job.tenant <= ${lastTenant}`)}
      union all
      select before.turn + 1, ${first(sql`job.tenant > before.tenant and job.tenant <= ${lastTenant}`)}
      from before where before.tenant is not null and before.turn < ${sql.lit(most)}),
    tenants as (
      select tenant, turn from behind where tenant is not null ${others}
      union all
      select tenant, turn + ${sql.lit(most)} from before where tenant is not null ${others})`
}

/** The first ready jobs of the tenant in `tenants`. */
export const firstOfTenant = ({ kind, limit }: ClaimOrder): RawBuilder<unknown> => sql`
  select first.id, first.ready_at from jobs as first
  where first.kind = ${kind} and first.tenant = tenants.tenant and first.ready_at is not null
  order by first.ready_at, first.id limit ${sql.lit(limit)}`

/** How many its tenant would have running with this one. Whoever has the fewest comes first, then whose turn it is. */
export function shareOf({ running }: ClaimOrder): RawBuilder<unknown> {
  const place = sql`row_number() over (partition by tenants.tenant order by job.ready_at, job.id)`
  if (running.size === 0) return place
  const counts = [...running].map(([tenant, count]) => sql`when ${tenant} then ${sql.lit(count)}`)
  return sql`${place} + case tenants.tenant ${sql.join(counts, sql` `)} else 0 end`
}

export const fairest = ({ limit, tenantConcurrency }: ClaimOrder): RawBuilder<unknown> =>
  sql`where share <= ${sql.lit(tenantConcurrency)} order by share, turn limit ${sql.lit(limit)}`
