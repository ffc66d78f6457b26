// Lanes: jobs that run one after the other, in the order they came. Only the first of a lane can be claimed.
import type { Queries } from '../db/database.ts'
import type { JobRow } from './row.ts'

type Place = Pick<JobRow, 'kind' | 'lane'>

/** After the first of a lane is gone, in the same transaction: the next one is ready, or the lane is gone too. */
export async function moveLaneOn(tx: Queries, { kind, lane }: Place, now: number): Promise<void> {
  if (lane === null) return
  const next = await firstOf(tx, kind, lane)
  if (next === undefined) {
    await tx.deleteFrom('job_lanes').where('kind', '=', kind).where('lane', '=', lane).execute()
    return
  }
  // One that was made for later waits for its time.
  const time = next.run_at > now ? { due_at: next.run_at } : { ready_at: now }
  await tx.updateTable('jobs').set(time).where('id', '=', next.id).execute()
}

const firstOf = (queries: Queries, kind: string, lane: string) =>
  queries
    .selectFrom('jobs')
    .select(['id', 'run_at'])
    .where('kind', '=', kind)
    .where('lane', '=', lane)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
