// One attempt at one job, from the claim to the statement that ends it.
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { Queries } from '../db/database.ts'
import type { ClaimedJob } from './claim-order.ts'
import type { RegisteredKind } from './kind.ts'
import type { Lease } from './lease.ts'
import type { Node } from './node.ts'
import { nextPeriod } from './period.ts'
import { buryJob, endJob, rearmJob, retryJob } from './store.ts'

type Outcome = { end: 'done' } | { end: 'retry' | 'bury'; error: string }

const maxErrorLength = 1000
const settleRetryMs = 500
const fallbackPauseSeconds = 60
const longestPauseSeconds = 30 * 24 * 3600

/** Resolves to when the job is due again, where it is. Never rejects. */
export async function attemptJob(node: Node, kind: RegisteredKind, lease: Lease): Promise<number | undefined> {
  const outcome = await runOnce(kind, lease)
  if (lease.finished || lease.signal.aborted) {
    if (lease.finished && outcome.end !== 'done') logFailure(node, lease.job, outcome.error, 'after it had finished')
    return undefined
  }
  if (outcome.end !== 'done') logFailure(node, lease.job, outcome.error, outcome.end)
  const { dueAt, settle } = settlement(node, kind, lease.job, outcome)
  const settled = await settleWhileHeld(node, lease, settle)
  return settled ? dueAt : undefined
}

async function runOnce(kind: RegisteredKind, lease: Lease): Promise<Outcome> {
  const { job, signal } = lease
  if (job.attempts > kind.maxAttempts) {
    return { end: 'bury', error: `The nodes that ran it stopped before it ended, ${kind.maxAttempts} times.` }
  }
  try {
    const payload = kind.payload.safeParse(parseJson(job.payload))
    if (!payload.success) return { end: 'bury', error: bounded(`Its payload does not fit: ${payload.error.message}`) }
    const finish = lease.finish.bind(lease)
    const confirm = lease.confirm.bind(lease)
    await kind.run({ id: job.id, payload: payload.data, attempt: job.attempts, signal, finish, confirm })
    return { end: 'done' }
  } catch (error) {
    return { end: job.attempts < kind.maxAttempts ? 'retry' : 'bury', error: messageOf(error) }
  }
}

interface Settlement {
  dueAt: number | undefined
  settle(queries: Queries): Promise<boolean>
}

function settlement(node: Node, kind: RegisteredKind, job: ClaimedJob, outcome: Outcome): Settlement {
  const now = node.clock.now()
  if (outcome.end === 'retry') {
    const dueAt = Math.round(now + pauseSeconds(node, kind, job.attempts) * 1000)
    return { dueAt, settle: (queries) => retryJob(queries, job, dueAt, outcome.error) }
  }
  if (kind.periodMs !== undefined) {
    const dueAt = nextPeriod(job.run_at, kind.periodMs, now)
    const error = outcome.end === 'done' ? null : outcome.error
    return { dueAt, settle: (queries) => rearmJob(queries, job, dueAt, error) }
  }
  if (outcome.end === 'bury') {
    return { dueAt: undefined, settle: (queries) => buryJob(queries, job, outcome.error) }
  }
  return { dueAt: undefined, settle: (queries) => endJob(queries, job) }
}

/** What a kind says of its pause is its own code: whatever that does, the job must not be lost. */
function pauseSeconds(node: Node, kind: RegisteredKind, attempt: number): number {
  try {
    const seconds = kind.backoffSeconds(attempt)
    if (seconds >= 0 && seconds <= longestPauseSeconds) return seconds
    node.log.error({ kind: kind.name, seconds }, 'A kind of job gave no usable pause.')
  } catch (error) {
    node.log.error({ err: error, kind: kind.name }, 'A kind of job gave no usable pause.')
  }
  return fallbackPauseSeconds
}

/** Writes the end of the attempt; a database that does not answer is asked again for as long as the lease holds. */
async function settleWhileHeld(node: Node, lease: Lease, settle: Settlement['settle']): Promise<boolean> {
  const { id, kind } = lease.job
  while (!lease.signal.aborted) {
    try {
      const settled = await settle(node.db.queries)
      if (!settled) node.log.warn({ job: id, kind }, 'A job ended here after its lease was lost.')
      return settled
    } catch (error) {
      node.log.error({ err: error, job: id, kind }, 'Could not write the end of a job; trying again.')
      await delay(settleRetryMs, undefined, { signal: lease.signal }).catch(() => undefined)
    }
  }
  return false
}

function logFailure(node: Node, { id, kind, attempts }: ClaimedJob, error: string, end: string): void {
  const fields = { job: id, kind, attempt: attempts, error, end }
  if (end === 'retry') node.log.warn(fields, 'A job failed and will run again.')
  else node.log.error(fields, 'A job failed for good.')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const messageOf = (error: unknown): string => bounded(error instanceof Error ? `${error.message}` : inspect(error))

function bounded(text: string): string {
  // NUL cannot be stored in PostgreSQL's text.
  return text.replaceAll('\0', '').slice(0, maxErrorLength)
}
