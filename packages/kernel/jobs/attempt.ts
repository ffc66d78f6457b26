// One attempt at one job, from the claim to the statement that ends it.
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { ClaimedJob } from './claim-order.ts'
import { JobFailed } from './jobs.ts'
import type { RegisteredKind } from './kind.ts'
import type { Lease } from './lease.ts'
import type { Node } from './node.ts'
import { bounded, type Outcome, readJson, type Settlement, settlement, writeSettlement } from './settlement.ts'

const settleRetryMs = 500

/** Resolves to when the job is due again, where it is. Never rejects. */
export async function attemptJob(node: Node, kind: RegisteredKind, lease: Lease): Promise<number | undefined> {
  const outcome = await runOnce(kind, lease)
  if (lease.finished || lease.signal.aborted) {
    if (lease.finished && outcome.end !== 'done') logFailure(node, lease.job, outcome.error, 'after it had finished')
    return undefined
  }
  if (outcome.end !== 'done') logFailure(node, lease.job, outcome.error, outcome.end)
  const how = settlement(node, kind, lease.job, outcome)
  const settled = await settleWhileHeld(node, kind, lease, how)
  return settled ? how.dueAt : undefined
}

async function runOnce(kind: RegisteredKind, lease: Lease): Promise<Outcome> {
  const { job, signal } = lease
  const payload = kind.payload.safeParse(readJson(job.payload))
  if (!payload.success) return { end: 'bury', error: bounded(`Its payload does not fit: ${payload.error.message}`) }
  if (job.attempts > kind.maxAttempts) {
    return { end: 'bury', error: `The nodes that ran it stopped before it ended, ${kind.maxAttempts} times.` }
  }
  try {
    const finish = lease.finish.bind(lease)
    const confirm = lease.confirm.bind(lease)
    await kind.run({ id: job.id, payload: payload.data, attempt: job.attempts, signal, finish, confirm })
    return { end: 'done' }
  } catch (error) {
    return failure(kind, job, error)
  }
}

function failure(kind: RegisteredKind, job: ClaimedJob, error: unknown): Outcome {
  const failed = error instanceof JobFailed ? error : undefined
  const { isCounted = true, isFinal = false, retryAfterMs } = failed ?? {}
  const isLast = isFinal || (isCounted && job.attempts >= kind.maxAttempts)
  const message = messageOf(error)
  return isLast ? { end: 'bury', error: message } : { end: 'retry', error: message, isCounted, retryAfterMs }
}

/** Writes the end of the attempt; a database that does not answer is asked again for as long as the lease holds. */
async function settleWhileHeld(node: Node, kind: RegisteredKind, lease: Lease, how: Settlement): Promise<boolean> {
  const { job } = lease
  while (!lease.signal.aborted) {
    try {
      const settled = await writeSettlement(node, kind, job, how)
      if (!settled) node.log.warn({ job: job.id, kind: job.kind }, 'A job ended here after its lease was lost.')
      return settled
    } catch (error) {
      node.log.error({ err: error, job: job.id, kind: job.kind }, 'Could not write the end of a job; trying again.')
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

const messageOf = (error: unknown): string => bounded(error instanceof Error ? `${error.message}` : inspect(error))
