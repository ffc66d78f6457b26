// Wakes the workers of a node: by events at once, by a look at the table every few seconds for all that no event told.
import { z } from 'zod'
import type { Tx } from '../db/database.ts'
import type { ClaimedJob } from './claim-order.ts'
import type { NewJob } from './insert.ts'
import type { RegisteredKind } from './kind.ts'
import type { Node } from './node.ts'
import { ensurePeriodic } from './period.ts'
import { noteRelease } from './settlement.ts'
import { handBackJob, soonestDue } from './store.ts'
import { Worker } from './worker.ts'

export const wakeTopic = 'jobs'
const wakeSchema = z.object({ kind: z.string(), dueAt: z.number(), cancelled: z.string().optional() })

export class Dispatcher {
  readonly #node: Node
  readonly #lookEveryMs: number
  readonly #workers = new Map<string, Worker>()
  #started = false
  #stopped = false
  /** The workers know what was there at the start. */
  #hasLooked = false
  #looking: Promise<void> | undefined
  #cancel: (() => void)[] = []

  constructor(node: Node, lookEveryMs: number) {
    this.#node = node
    this.#lookEveryMs = lookEveryMs
  }

  register(kind: RegisteredKind): void {
    if (this.#started) throw new Error(`Register ${kind.name} before the jobs start.`)
    if (this.#workers.has(kind.name)) throw new Error(`There is a kind of job named ${kind.name} already.`)
    this.#workers.set(kind.name, new Worker(this.#node, kind, this.#lookEveryMs))
  }

  /**
   * Where nodes share the database, a claim is what spreads the jobs over them. And what an earlier process has left
   * comes first.
   */
  claimNew(job: NewJob): (NewJob & ClaimedJob) | undefined {
    const isAlone = this.#node.db.kind === 'sqlite'
    return isAlone && this.#hasLooked ? this.#workers.get(job.kind)?.claimNew(job) : undefined
  }

  begin(job: ClaimedJob): void {
    this.#workers.get(job.kind)?.begin(job)
  }

  async start(): Promise<void> {
    if (this.#started || this.#stopped) throw new Error('Jobs start once.')
    this.#started = true
    for (const { kind } of this.#workers.values()) {
      if (kind.periodMs !== undefined) await ensurePeriodic(this.#node, kind.name, kind.periodMs)
    }
    if (this.#stopped) return
    const { events } = this.#node
    const timer = setInterval(() => void this.#look(), this.#lookEveryMs)
    this.#cancel = [
      events.subscribe(wakeTopic, (payload) => this.#wake(payload)),
      events.onGap(() => void this.#look()),
      () => clearInterval(timer),
    ]
    await this.#look()
    this.#hasLooked = true
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopped = true
    for (const cancel of this.#cancel.splice(0)) cancel()
    await this.#looking
    const left = await Promise.all([...this.#workers.values()].map((worker) => worker.stop(graceMs)))
    await this.#handBack(left.flat())
  }

  async drain(kind: string, graceMs: number): Promise<void> {
    await this.#handBack((await this.#workers.get(kind)?.stop(graceMs)) ?? [])
  }

  #wake(payload: unknown): void {
    const wake = wakeSchema.safeParse(payload)
    if (!wake.success) return
    const { kind, dueAt, cancelled } = wake.data
    const worker = this.#workers.get(kind)
    if (cancelled !== undefined) worker?.lose(cancelled)
    worker?.wakeAt(dueAt)
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #lookOnce(): Promise<void> {
    // A busy kind asks for more by itself; to count its backlog here would cost more than it tells.
    const kinds = [...this.#workers.values()].filter((worker) => worker.idle).map((worker) => worker.kind.name)
    try {
      const due = await soonestDue(this.#node.db.queries, kinds)
      for (const { kind, dueAt } of due) this.#workers.get(kind)?.wakeAt(dueAt)
    } catch (error) {
      this.#node.log.error({ err: error }, 'Could not look for jobs.')
    }
  }

  /** Other nodes may begin with these at once instead of waiting for the leases to end. */
  async #handBack(jobs: readonly ClaimedJob[]): Promise<void> {
    if (jobs.length === 0) return
    const { db, events, clock, log } = this.#node
    try {
      await db.transaction(async (tx) => {
        const now = clock.now()
        const kinds = new Set<string>()
        for (const job of jobs) if (await this.#handBackOne(tx, job, now)) kinds.add(job.kind)
        for (const kind of kinds) await events.publish(tx, wakeTopic, { kind, dueAt: now })
      })
    } catch (error) {
      log.error({ err: error, jobs: jobs.length }, 'Could not hand jobs back; their leases will run out.')
    }
  }

  async #handBackOne(tx: Tx, job: ClaimedJob, now: number): Promise<boolean> {
    if (!(await handBackJob(tx, job, now))) return false
    const kind = this.#workers.get(job.kind)?.kind
    const attempts = job.attempts - 1
    const released = { attempts, end: 'handed back', error: 'The node was shut down.', retryAt: now } as const
    if (kind !== undefined) await noteRelease(tx, kind, job, released)
    return true
  }
}
