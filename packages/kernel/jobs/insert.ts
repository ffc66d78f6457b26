// Adds jobs: one that may be there already, or many at once.
import { CompiledQuery, type Expression, sql } from 'kysely'
import type { Database, Queries, Tx } from '../db/database.ts'
import { statementText, valuesOf } from '../db/statement-text.ts'
import { together } from '../db/together.ts'
import { type ClaimedJob, claimMark } from './claim-order.ts'
import type { JobRow } from './row.ts'

const places = ['id', 'kind', 'payload', 'tenant', 'lane', 'run_at', 'created_at'] as const satisfies (keyof JobRow)[]
const times = ['ready_at', 'due_at'] as const satisfies (keyof JobRow)[]
const columns = [...places, ...times]
/** In the order of the statement's values: a time depends on the lane. */
const inLane = (time: (typeof times)[number]) => ['kind', 'lane', time] as const
const readyColumns = [...places, ...inLane('ready_at')]
const laneColumns = [...readyColumns, ...inLane('due_at')]

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

/**
 * In their order. Those behind others in their lane wait for them, and for nothing else. Only writes, so that it may
 * be part of a batch.
 */
export async function addJobs(tx: Tx, dialect: Database['kind'], jobs: readonly NewJob[]): Promise<void> {
  const [first] = jobs
  if (first === undefined) return
  const lanes = new Set(jobs.flatMap(({ lane }) => (lane === null ? [] : [lane])))
  // In order, so that two nodes cannot block each other.
  const visited = lanesVisited(tx, dialect, first.kind, [...lanes].sort())
  const hasLanes = lanes.size > 0
  const rows = jobs.map((job): TimedJob => {
    const isFirst = job.lane === null || lanes.delete(job.lane)
    return isFirst ? timed(job) : { ...job, ready_at: null, due_at: null }
  })
  await together([visited, hasLanes ? insertInLanes(tx, dialect, rows) : insertRows(tx, dialect, rows)])
}

const waitingNow = { state: sql.lit('waiting' as const), attempts: sql.lit(0) }
const blank = Object.fromEntries(columns.map((column) => [column, ''])) as unknown as TimedJob

/** What one statement adds: there is a text for each number of rows, and each text is kept. */
const rowsAtOnce = 400

async function insertRows(tx: Tx, dialect: Database['kind'], rows: readonly TimedJob[]): Promise<void> {
  const slices: TimedJob[][] = []
  for (let at = 0; at < rows.length; at += rowsAtOnce) slices.push(rows.slice(at, at + rowsAtOnce))
  await together(slices.map((some) => insertSome(tx, dialect, some)))
}

async function insertSome(tx: Tx, dialect: Database['kind'], rows: readonly TimedJob[]): Promise<void> {
  const text = statementText(`${dialect} jobs ${rows.length}`, () =>
    tx.insertInto('jobs').values(rows.map(() => ({ ...blank, ...waitingNow }))),
  )
  await tx.executeQuery(CompiledQuery.raw(text, valuesOf(rows, columns)))
}

/** A lane that was empty has seen one arrival by now. */
const unlessBehind = sql<number>`case when (
  select arrivals from job_lanes where kind = ${''} and lane = ${''}) > 1 then null else cast(${''} as bigint) end`

async function insertInLanes(tx: Tx, dialect: Database['kind'], rows: readonly TimedJob[]): Promise<void> {
  const isTimed = rows.some((row) => row.due_at !== null)
  const due_at = isTimed ? unlessBehind : sql.lit(null)
  const text = statementText(`${dialect} ${isTimed ? 'timed' : 'ready'} jobs in lanes ${rows.length}`, () =>
    tx.insertInto('jobs').values(rows.map(() => ({ ...blank, ready_at: unlessBehind, due_at, ...waitingNow }))),
  )
  await tx.executeQuery(CompiledQuery.raw(text, valuesOf(rows, isTimed ? laneColumns : readyColumns)))
}

async function lanesVisited(tx: Tx, dialect: Database['kind'], kind: string, lanes: readonly string[]): Promise<void> {
  if (lanes.length === 0) return
  const text = statementText(`${dialect} job lanes ${lanes.length}`, () =>
    tx
      .insertInto('job_lanes')
      .values(lanes.map(() => ({ kind: '', lane: '', arrivals: sql.lit(1) })))
      .onConflict((conflict) =>
        conflict.columns(['kind', 'lane']).doUpdateSet({ arrivals: sql<number>`job_lanes.arrivals + 1` }),
      ),
  )
  await tx.executeQuery(
    CompiledQuery.raw(
      text,
      lanes.flatMap((lane) => [kind, lane]),
    ),
  )
}
