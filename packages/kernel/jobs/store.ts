// The statements about jobs that are the same on every database. Those that end a lease check its token.
import type { Queries, Tx } from '../db/database.ts'
import type { ClaimedJob } from './claim-order.ts'
import type { JobCounts } from './jobs.ts'
import type { JobRow } from './row.ts'

type Lease = Pick<ClaimedJob, 'id' | 'token'>

const unleased = { lease_token: null, leased_by: null }

/** False when a job with the same unique key is there already. */
export async function addJob(queries: Queries, job: NewJob): Promise<boolean> {
  const added = await queries
    .insertInto('jobs')
    .values({ ...job, ...unleased, state: 'waiting', due_at: job.run_at, attempts: 0, last_error: null })
    .onConflict((conflict) => conflict.columns(['kind', 'unique_key']).doNothing())
    .returning('id')
    .execute()
  return added.length > 0
}

export type NewJob = Pick<JobRow, 'id' | 'kind' | 'payload' | 'unique_key' | 'run_at' | 'created_at'>

const held = (queries: Queries, { id, token }: Lease) =>
  queries.updateTable('jobs').where('id', '=', id).where('lease_token', '=', token).returning('id')

/** All of these say false when the lease is lost. */
export async function renewLease(queries: Queries, lease: Lease, leaseUntil: number): Promise<boolean> {
  const renewed = await held(queries, lease).set({ due_at: leaseUntil }).execute()
  return renewed.length > 0
}

/** Nobody can take it over before the transaction has ended: the row is written to, though nothing changes. */
export async function holdJob(tx: Tx, lease: Lease): Promise<boolean> {
  const kept = await held(tx, lease)
    .set((eb) => ({ due_at: eb.ref('due_at') }))
    .execute()
  return kept.length > 0
}

export async function endJob(queries: Queries, { id, token }: Lease): Promise<boolean> {
  const ended = await queries
    .deleteFrom('jobs')
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .returning('id')
    .execute()
  return ended.length > 0
}

export async function retryJob(queries: Queries, lease: Lease, dueAt: number, error: string): Promise<boolean> {
  const changed = await held(queries, lease)
    .set({ ...unleased, state: 'waiting', due_at: dueAt, last_error: error })
    .execute()
  return changed.length > 0
}

export async function buryJob(queries: Queries, lease: Lease, error: string): Promise<boolean> {
  const changed = await held(queries, lease)
    .set({ ...unleased, state: 'dead', due_at: null, unique_key: null, last_error: error })
    .execute()
  return changed.length > 0
}

/** A periodic job does not end: it waits for its next time, with all its attempts before it. */
export async function rearmJob(queries: Queries, lease: Lease, runAt: number, error: string | null): Promise<boolean> {
  const changed = await held(queries, lease)
    .set({ ...unleased, state: 'waiting', run_at: runAt, due_at: runAt, attempts: 0, last_error: error })
    .execute()
  return changed.length > 0
}

/** An attempt broken off by a shutdown does not count. */
export async function handBackJob(queries: Queries, lease: Lease, now: number): Promise<boolean> {
  const changed = await held(queries, lease)
    .set({ ...unleased, state: 'waiting', due_at: now })
    .set((eb) => ({ attempts: eb('attempts', '-', 1) }))
    .execute()
  return changed.length > 0
}

/** For whoever knows that all nodes that held any are gone. Their attempts count. */
export async function endAllLeases(queries: Queries, now: number): Promise<void> {
  await queries
    .updateTable('jobs')
    .set({ ...unleased, state: 'waiting', due_at: now })
    .where('state', '=', 'running')
    .execute()
}

/** Makes a periodic job run no later than `latest`: its period may have been shortened. */
export async function advanceJob(queries: Queries, kind: string, latest: number): Promise<void> {
  await queries
    .updateTable('jobs')
    .set({ run_at: latest, due_at: latest })
    .where('kind', '=', kind)
    .where('state', '=', 'waiting')
    .where('due_at', '>', latest)
    .execute()
}

/** For each of the kinds that has something due by `horizon`: when. */
export async function soonestDue(
  queries: Queries,
  kinds: readonly string[],
  horizon: number,
): Promise<{ kind: string; dueAt: number }[]> {
  if (kinds.length === 0) return []
  return queries
    .selectFrom('jobs')
    .select((eb) => ['kind', eb.fn.min<number>('due_at').as('dueAt')])
    .where('kind', 'in', kinds)
    .where('due_at', '<=', horizon)
    .groupBy('kind')
    .execute()
}

/** Periodic jobs that wait for their next time are no backlog: `resting` kinds are left out while they wait. */
export async function countJobs(queries: Queries, restingPrefix: string): Promise<JobCounts> {
  const rows = await queries
    .selectFrom('jobs')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .where((eb) => eb.not(eb.and([eb('state', '=', 'waiting'), eb('kind', 'like', `${restingPrefix}%`)])))
    .groupBy('state')
    .execute()
  const counts: JobCounts = { waiting: 0, running: 0, dead: 0 }
  for (const { state, count } of rows) counts[state] = Number(count)
  return counts
}
