// Kinds that run every so often: one row each, that begins again instead of ending.
import { z } from 'zod'
import { addUnique } from './insert.ts'
import { periodicPrefix, type RegisteredKind } from './kind.ts'
import type { Node } from './node.ts'
import { advanceJob } from './store.ts'

const attemptsPerPeriod = 3
const leaseSeconds = 30
const longestBackoffSeconds = 60

export function periodicKind(
  name: string,
  seconds: number,
  run: (signal: AbortSignal) => Promise<void>,
): RegisteredKind {
  if (!(seconds > 0 && Number.isFinite(seconds))) throw new RangeError(`The period of ${name} must be more than 0 s.`)
  return {
    name: periodicPrefix + name,
    payload: z.null(),
    maxAttempts: attemptsPerPeriod,
    leaseSeconds,
    concurrency: 1,
    periodMs: seconds * 1000,
    backoffSeconds: (attempt) => Math.min(2 ** attempt, longestBackoffSeconds, seconds),
    run: ({ signal }) => run(signal),
  }
}

/** The first time after `now` on the beat that `runAt` belongs to: periods that were missed are not made up for. */
export function nextPeriod(runAt: number, periodMs: number, now: number): number {
  const missed = Math.max(0, Math.floor((now - runAt) / periodMs))
  return Math.round(runAt + (missed + 1) * periodMs)
}

/** Sees that the kind's one row is there, and not later than its period allows. */
export async function ensurePeriodic(node: Node, kind: string, periodMs: number): Promise<void> {
  const now = node.clock.now()
  const job = { id: node.ids.next('job_'), kind, payload: 'null', tenant: '', lane: null, run_at: now, created_at: now }
  await addUnique(node.db.queries, job, kind, false)
  await advanceJob(node.db.queries, kind, Math.round(now + periodMs))
}
