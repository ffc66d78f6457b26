// Adds jobs: one that may be there already, or many at once.
import { CompiledQuery, type Expression, sql } from 'kysely'
import type { Database, Queries, Tx } from '../db/database.ts'
import { statementText, valuesOf } from '../db/statement-text.ts'
import { type ClaimedJob, claimMark } from './claim-order.ts'
import type { JobRow } from './row.ts'

const columns = [
  ...(['id', 'kind', 'payload', 'tenant', 'lane', 'run_at', 'ready_at', 'due_at', 'created_at'] as const),
] as const satisfies readonly (keyof JobRow)[]

export type NewJob = Pick<JobRow, 'id' | 'kind' | 'payload' | 'tenant' | 'lane' | 'run_at' | 'created_at'>
type TimedJob = Pick<JobRow, (typeof columns)[number]>

const waiting = { state: 'waiting', attempts: 0 } as const

/** Ready, or made for later. */
function timed(job: NewJob): TimedJob {
  const isReady = job.run_at <= job.created_at
  return { ...job, ready_at: isReady ? job.run_at : null, due_at: isReady ? null : job.run_at }
}

/** False when a job with the same unique key is there already; `again`: then that one comes no later, or runs once more. */
export async function addUnique(queries: Queries, job: NewJob, uniqueKey: string, again: boolean): Promise<boolean> {
  const { run_at } = job
  const earlier = (column: string): Expression<number> =>
    sql`case when ${sql.ref(column)} < ${run_at} then ${sql.ref(column)} else ${run_at} end`
  const runs = sql`jobs.state = 'running'`
  const added = await queries
    .insertInto('jobs')
    .values({ ...timed(job), ...waiting, unique_key: uniqueKey })
    .onConflict((conflict) => {
      const same = conflict.columns(['kind', 'unique_key']).where('unique_key', 'is not', null)
      if (!again) return same.doNothing()
      return same.doUpdateSet({
        again_at: sql`case when ${runs} then ${earlier('jobs.again_at')} else null end`,
        due_at: sql`case when ${runs} or jobs.due_at is null then jobs.due_at else ${earlier('jobs.due_at')} end`,
      })
    })
    .returning('id')
    .execute()
  return added[0]?.id === job.id
}

/** As it is after its claim. */
export async function addClaimed(tx: Tx, claimed: NewJob & ClaimedJob, nodeId: string): Promise<void> {
  const { token, leaseUntil, ...job } = claimed
  await tx
    .insertInto('jobs')
    .values({ ...job, ...claimMark({ token, leaseUntil, nodeId }) })
    .execute()
}

/** In their order. Those behind others in their lane wait for them, and for nothing else. */
export async function addJobs(tx: Tx, dialect: Database['kind'], jobs: readonly NewJob[]): Promise<void> {
  const [first] = jobs
  if (first === undefined) return
  const free = await openLanes(tx, dialect, first.kind, jobs)
  const rows = jobs.map((job): TimedJob => {
    // The first of a lane that was empty opens it; the others are behind.
    const isFirst = job.lane === null || free.delete(job.lane)
    return isFirst ? timed(job) : { ...job, ready_at: null, due_at: null }
  })
  const text = statementText(`${dialect} jobs ${rows.length}`, () =>
    tx.insertInto('jobs').values(rows.map(() => ({ ...blank, state: sql.lit('waiting'), attempts: sql.lit(0) }))),
  )
  await tx.executeQuery(CompiledQuery.raw(text, valuesOf(rows, columns)))
}

const blank = Object.fromEntries(columns.map((column) => [column, ''])) as unknown as TimedJob

/** Returns those that were empty. In order, so that two nodes cannot block each other. */
async function openLanes(
  tx: Tx,
  dialect: Database['kind'],
  kind: string,
  jobs: readonly NewJob[],
): Promise<Set<string>> {
  const lanes = [...new Set(jobs.flatMap(({ lane }) => (lane === null ? [] : [lane])))].sort()
  if (lanes.length === 0) return new Set()
  const text = statementText(`${dialect} job lanes ${lanes.length}`, () =>
    tx
      .insertInto('job_lanes')
      .values(lanes.map(() => ({ kind: '', lane: '', arrivals: sql.lit(1) })))
      .onConflict((conflict) =>
        conflict.columns(['kind', 'lane']).doUpdateSet({ arrivals: sql<number>`job_lanes.arrivals + 1` }),
      )
      .returning(['lane', 'arrivals']),
  )
  const values = lanes.flatMap((lane) => [kind, lane])
  const { rows } = await tx.executeQuery<{ lane: string; arrivals: number }>(CompiledQuery.raw(text, values))
  return new Set(rows.filter(({ arrivals }) => arrivals === 1).map(({ lane }) => lane))
}
