// The jobs of one node: registration, enqueueing, and the workers behind them.
import type { Tx } from '../db/database.ts'
import { Dispatcher, wakeTopic } from './dispatcher.ts'
import type { EnqueueOptions, JobKind, Jobs } from './jobs.ts'
import type { RegisteredKind } from './kind.ts'
import type { Node } from './node.ts'
import { periodicKind, periodicPrefix } from './period.ts'
import { addJob, countJobs } from './store.ts'

/** Jobs due later than this are found by a look at the table; the others are announced. */
export const lookEveryMs = 2000

const longestLeaseSeconds = 24 * 3600

export function createJobs(node: Node): Jobs {
  const dispatcher = new Dispatcher(node, lookEveryMs)
  const announced = new WeakMap<Tx, Map<string, number>>()

  async function announce(tx: Tx, kind: string, dueAt: number): Promise<void> {
    if (dueAt > node.clock.now() + lookEveryMs) return
    const inThisTx = announced.get(tx) ?? new Map<string, number>()
    announced.set(tx, inThisTx)
    // A thousand jobs in one transaction need one wake-up.
    if ((inThisTx.get(kind) ?? Number.POSITIVE_INFINITY) <= dueAt) return
    inThisTx.set(kind, dueAt)
    await node.events.publish(tx, wakeTopic, { kind, dueAt })
  }

  return {
    register: (kind) => dispatcher.register(checked(kind) as unknown as RegisteredKind),
    registerPeriodic: (name, seconds, run) => dispatcher.register(periodicKind(name, seconds, run)),
    async enqueue(tx, kind, payload, options = {}) {
      const job = newJob(node, kind, payload, options)
      if (!(await addJob(tx, job))) return undefined
      await announce(tx, kind.name, job.run_at)
      return job.id
    },
    counts: () => countJobs(node.db.queries, periodicPrefix),
    start: () => dispatcher.start(),
    stop: (graceMs) => dispatcher.stop(graceMs),
  }
}

function checked<Payload>(kind: JobKind<Payload>): JobKind<Payload> {
  const { name, maxAttempts, leaseSeconds, concurrency } = kind
  if (name === '' || name.startsWith(periodicPrefix)) throw new Error(`"${name}" cannot be the name of a kind of job.`)
  const usable = maxAttempts >= 1 && concurrency >= 1 && leaseSeconds > 0 && leaseSeconds <= longestLeaseSeconds
  if (!usable) {
    throw new RangeError(
      `The kind of job ${name} needs at least one attempt, a place to run, and a lease of at most ${longestLeaseSeconds} s.`,
    )
  }
  return kind
}

function newJob<Payload>(node: Node, kind: JobKind<Payload>, payload: Payload, options: EnqueueOptions) {
  const now = node.clock.now()
  const text = JSON.stringify(payload) ?? 'null'
  // What would only become a dead letter is refused here, while its cause is still on the stack.
  const fits = kind.payload.safeParse(JSON.parse(text))
  if (!fits.success) throw new TypeError(`The payload of a ${kind.name} job does not fit: ${fits.error.message}`)
  return {
    id: node.ids.next('job_'),
    kind: kind.name,
    payload: text,
    unique_key: options.uniqueKey ?? null,
    run_at: Math.round(options.runAt ?? now),
    created_at: now,
  }
}
