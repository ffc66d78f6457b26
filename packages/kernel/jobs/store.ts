// The statements about jobs that are the same on every database. Those that end a lease check its token.
import { sql } from 'kysely'
import type { Database, Queries, Tx } from '../db/database.ts'
import type { ClaimedJob } from './claim-order.ts'
import type { JobCounts } from './jobs.ts'
import { moveLaneOn } from './lanes.ts'

type Lease = Pick<ClaimedJob, 'id' | 'token'>
/** What ends a job must know the lane that goes on. */
type HeldJob = Pick<ClaimedJob, 'id' | 'token' | 'kind' | 'lane' | 'unique_key'>

const unleased = { lease_token: null, leased_by: null }
const readyAt = (time: number) => ({ ...unleased, state: 'waiting' as const, ready_at: time, due_at: null })
const dueAt = (time: number) => ({ ...unleased, state: 'waiting' as const, ready_at: null, due_at: time })

/** A lease that ended holds nothing, though its token may still be there. */
const held = (queries: Queries, { id, token }: Lease) =>
  queries
    .updateTable('jobs')
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .where('state', '=', 'running')
    .returning('id')

/** All of these say false when the lease is lost. */
export async function renewLease(queries: Queries, lease: Lease, leaseUntil: number): Promise<boolean> {
  const renewed = await held(queries, lease).set({ due_at: leaseUntil }).execute()
  return renewed.length > 0
}

export async function isThere(queries: Queries, id: string): Promise<boolean> {
  return (await queries.selectFrom('jobs').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

/** Nobody can take it over before the transaction has ended: the row is written to, though nothing changes. */
export async function holdJob(tx: Tx, lease: Lease): Promise<boolean> {
  const kept = await held(tx, lease)
    .set((eb) => ({ due_at: eb.ref('due_at') }))
    .execute()
  return kept.length > 0
}

export async function endJob(queries: Queries, job: HeldJob, now: number): Promise<boolean> {
  if (job.unique_key !== null && (await runAgain(queries, job))) return true
  const ended = await queries
    .deleteFrom('jobs')
    .where('id', '=', job.id)
    .where('lease_token', '=', job.token)
    .where('state', '=', 'running')
    .where('again_at', 'is', null)
    .returning('id')
    .execute()
  // Asked for between the two statements.
  if (ended.length === 0) return job.unique_key !== null && runAgain(queries, job)
  await moveLaneOn(queries, job, now)
  return true
}

/** True when somebody asked for it while it ran. */
async function runAgain(queries: Queries, job: HeldJob): Promise<boolean> {
  const again = await held(queries, job)
    .where('again_at', 'is not', null)
    .set((eb) => ({ run_at: eb.ref('again_at').$notNull(), due_at: eb.ref('again_at') }))
    .set({ ...unleased, state: 'waiting', again_at: null, attempts: 0, last_error: null })
    .execute()
  return again.length > 0
}

export interface Retry {
  at: number
  error: string
  isCounted: boolean
}

export async function retryJob(queries: Queries, lease: Lease, { at, error, isCounted }: Retry): Promise<boolean> {
  const changed = await held(queries, lease)
    .set({ ...dueAt(at), last_error: error })
    .set((eb) => ({ attempts: isCounted ? eb.ref('attempts') : eb('attempts', '-', 1) }))
    .execute()
  return changed.length > 0
}

export async function buryJob(queries: Queries, job: HeldJob, error: string, now: number): Promise<boolean> {
  if (job.unique_key !== null && (await runAgain(queries, job))) return true
  const changed = await held(queries, job)
    .set({ ...unleased, state: 'dead', due_at: null, lane: null, unique_key: null, last_error: error })
    .execute()
  if (changed.length > 0) await moveLaneOn(queries, job, now)
  return changed.length > 0
}

/** A periodic job does not end: it waits for its next time, with all its attempts before it. */
export async function rearmJob(queries: Queries, lease: Lease, runAt: number, error: string | null): Promise<boolean> {
  const changed = await held(queries, lease)
    .set({ ...dueAt(runAt), run_at: runAt, attempts: 0, last_error: error })
    .execute()
  return changed.length > 0
}

/** An attempt broken off by a shutdown does not count. */
export async function handBackJob(queries: Queries, lease: Lease, now: number): Promise<boolean> {
  const changed = await held(queries, lease)
    .set(readyAt(now))
    .set((eb) => ({ attempts: eb('attempts', '-', 1) }))
    .execute()
  return changed.length > 0
}

/** Resolves to its kind. Whoever runs it finds its lease lost. */
export async function cancelJob(tx: Tx, id: string, now: number): Promise<string | undefined> {
  const job = await tx
    .deleteFrom('jobs')
    .where('id', '=', id)
    .where('state', '!=', 'dead')
    .returning(['kind', 'lane', 'ready_at', 'due_at'])
    .executeTakeFirst()
  const wasFirst = job !== undefined && (job.ready_at !== null || job.due_at !== null)
  if (wasFirst) await moveLaneOn(tx, job, now)
  return job?.kind
}

/** For whoever knows that all nodes that held any are gone. Their attempts count. */
export async function endAllLeases(queries: Queries, now: number): Promise<void> {
  await queries.updateTable('jobs').set(readyAt(now)).where('state', '=', 'running').execute()
}

const mostWokenAtOnce = 500

/** Makes ready what waited for its time, and what ran on a lease that ended. Resolves to whether there may be more. */
export async function readyDue(db: Database, kind: string, now: number): Promise<boolean> {
  const due = db.queries
    .selectFrom('jobs')
    .select('id')
    .where('kind', '=', kind)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(mostWokenAtOnce)
  // Only a look while there is nothing.
  if ((await due.limit(1).executeTakeFirst()) === undefined) return false
  const woken = await db.queries
    .updateTable('jobs')
    .set((eb) => ({ ...unleased, state: 'waiting', ready_at: eb.ref('due_at'), due_at: null }))
    .where('id', 'in', due)
    .where('due_at', '<=', now)
    .returning('id')
    .execute()
  return woken.length === mostWokenAtOnce
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

/** For each of the kinds: since or from when something can be claimed. Two looks into an index each. */
export async function soonestDue(
  queries: Queries,
  kinds: readonly string[],
): Promise<{ kind: string; dueAt: number }[]> {
  if (kinds.length === 0) return []
  const looks = kinds.map((kind) => {
    const soonest = sql`
      (select due_at from jobs where kind = ${kind} and due_at is not null order by due_at limit 1)`
    return sql`select cast(${kind} as text) as kind, ${soonest} as due_at,
      (select ready_at from jobs where kind = ${kind} and ready_at is not null limit 1) as ready_at`
  })
  const all = sql<{
    kind: string
    due_at: number | null
    ready_at: number | null
  }>`${sql.join(looks, sql` union all `)}`
  const { rows } = await all.execute(queries)
  return rows.flatMap(({ kind, due_at, ready_at }) => {
    const dueAt = ready_at ?? due_at
    return dueAt === null ? [] : [{ kind, dueAt }]
  })
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
