// The jobs of one node: registration, enqueueing, and the workers behind them.
import type { Tx } from '../db/database.ts'
import { Dispatcher, wakeTopic } from './dispatcher.ts'
import { addClaimed, addJobs, addUnique, type NewJob } from './insert.ts'
import type { EnqueueOptions, JobKind, Jobs } from './jobs.ts'
import { checked, periodicPrefix, type RegisteredKind } from './kind.ts'
import type { Node } from './node.ts'
import { periodicKind } from './period.ts'
import { cancelJob, countJobs } from './store.ts'

/** Jobs due later than this are found by a look at the table; the others are announced. */
export const lookEveryMs = 2000

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

  async function add(tx: Tx, job: NewJob): Promise<void> {
    const claimed = job.run_at <= job.created_at ? dispatcher.claimNew(job) : undefined
    if (claimed === undefined) {
      await addJobs(tx, node.db.kind, [job])
      await announce(tx, job.kind, job.run_at)
      return
    }
    await addClaimed(tx, claimed, node.nodeId)
    // Behind the news of those that were added before it.
    node.db.afterCommit(tx, () => void setImmediate(() => dispatcher.begin(claimed)))
  }

  return {
    register: (kind) => dispatcher.register(checked(kind) as unknown as RegisteredKind),
    registerPeriodic: (name, seconds, run) => dispatcher.register(periodicKind(name, seconds, run)),
    async enqueue(tx, kind, payload, options = {}) {
      const { uniqueKey, again = false } = options
      if (uniqueKey !== undefined && options.lane !== undefined)
        throw new TypeError('A job in a lane has no unique key.')
      const job = newJob(node, kind, payload, options)
      if (uniqueKey === undefined) {
        await add(tx, job)
        return job.id
      }
      const isNew = await addUnique(tx, job, uniqueKey, again)
      if (isNew || again) await announce(tx, kind.name, job.run_at)
      return isNew ? job.id : undefined
    },
    async enqueueAll(tx, kind, work) {
      const jobs = work.map(({ payload, ...place }) => newJob(node, kind, payload, place))
      await addJobs(tx, node.db.kind, jobs)
      if (jobs.length > 0) await announce(tx, kind.name, node.clock.now())
    },
    async cancel(tx, id) {
      const kind = await cancelJob(tx, id, node.clock.now())
      // The next of its lane may be ready, and whoever runs it is to stop.
      if (kind !== undefined) await node.events.publish(tx, wakeTopic, { kind, dueAt: node.clock.now(), cancelled: id })
      return kind !== undefined
    },
    wake: (tx, { name }) => announce(tx, name, node.clock.now()),
    counts: () => countJobs(node.db.queries, periodicPrefix),
    drain: ({ name }, graceMs) => dispatcher.drain(name, graceMs),
    start: () => dispatcher.start(),
    stop: (graceMs) => dispatcher.stop(graceMs),
  }
}

function newJob<Payload>(node: Node, kind: JobKind<Payload>, payload: Payload, options: EnqueueOptions): NewJob {
  const now = node.clock.now()
  const text = JSON.stringify(payload) ?? 'null'
  // What would only become a dead letter is refused here, while its cause is still on the stack.
  const fits = kind.payload.safeParse(JSON.parse(text))
  if (!fits.success) throw new TypeError(`The payload of a ${kind.name} job does not fit: ${fits.error.message}`)
  return {
    id: node.ids.next('job_'),
    kind: kind.name,
    payload: text,
    tenant: options.tenant ?? '',
    lane: options.lane ?? null,
    run_at: Math.round(options.runAt ?? now),
    created_at: now,
  }
}
