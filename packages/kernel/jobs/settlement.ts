// How an attempt ends in the database: gone, again later, or dead; with what its kind has to note about it.
import type { Queries, Tx } from '../db/database.ts'
import type { ClaimedJob } from './claim-order.ts'
import type { ReleasedJob } from './jobs.ts'
import type { RegisteredKind } from './kind.ts'
import type { Node } from './node.ts'
import { nextPeriod } from './period.ts'
import { buryJob, endJob, rearmJob, retryJob } from './store.ts'

export type Outcome =
  | { end: 'done' }
  | { end: 'bury'; error: string }
  | { end: 'retry'; error: string; isCounted: boolean; retryAfterMs: number | undefined }

export interface Settlement {
  dueAt: number | undefined
  settle(queries: Queries): Promise<boolean>
  /** Told to the kind in the same commit. */
  released?: Omit<ReleasedJob<unknown>, 'id' | 'payload'>
}

const maxErrorLength = 1000
const fallbackPauseSeconds = 60
const longestPauseSeconds = 30 * 24 * 3600

/** NUL cannot be stored in PostgreSQL's text. */
export const bounded = (text: string): string => text.replaceAll('\0', '').slice(0, maxErrorLength)

export function settlement(node: Node, kind: RegisteredKind, job: ClaimedJob, outcome: Outcome): Settlement {
  const now = node.clock.now()
  if (outcome.end === 'retry') {
    const { error, isCounted, retryAfterMs } = outcome
    const at = Math.round(now + (retryAfterMs ?? pauseSeconds(node, kind, job.attempts) * 1000))
    const settle: Settlement['settle'] = (queries) => retryJob(queries, job, { at, error, isCounted })
    const attempts = isCounted ? job.attempts : job.attempts - 1
    return { dueAt: at, settle, released: { attempts, end: 'retry', error, retryAt: at } }
  }
  if (kind.periodMs !== undefined) {
    const dueAt = nextPeriod(job.run_at, kind.periodMs, now)
    const error = outcome.end === 'done' ? null : outcome.error
    return { dueAt, settle: (queries) => rearmJob(queries, job, dueAt, error) }
  }
  if (outcome.end === 'bury') {
    const { error } = outcome
    const settle: Settlement['settle'] = (queries) => buryJob(queries, job, error, now)
    return { dueAt: undefined, settle, released: { attempts: job.attempts, end: 'dead', error, retryAt: undefined } }
  }
  return { dueAt: undefined, settle: (queries) => endJob(queries, job, now) }
}

/** Whether the job was still held: only then something is written. */
export function writeSettlement(
  node: Node,
  kind: RegisteredKind,
  job: ClaimedJob,
  { settle, released }: Settlement,
): Promise<boolean> {
  const notes = released !== undefined && kind.released !== undefined
  // A lane goes on in the same commit.
  if (job.lane === null && !notes) return settle(node.db.queries)
  return node.db.transaction(async (tx) => {
    if (!(await settle(tx))) return false
    if (released !== undefined) await noteRelease(tx, kind, job, released)
    return true
  })
}

/** What cannot be read cannot be noted; it is buried all the same. */
export async function noteRelease(
  tx: Tx,
  kind: RegisteredKind,
  { id, payload }: ClaimedJob,
  released: NonNullable<Settlement['released']>,
): Promise<void> {
  if (kind.released === undefined) return
  const read = kind.payload.safeParse(readJson(payload))
  if (read.success) await kind.released(tx, { id, payload: read.data, ...released })
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
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
