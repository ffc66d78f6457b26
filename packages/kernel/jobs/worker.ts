// One kind of job on one node: claims what is due, runs so many at once, and stops in an orderly way.
import { setTimeout as delay } from 'node:timers/promises'
import { attemptJob } from './attempt.ts'
import { claimJobs } from './claim.ts'
import type { ClaimedJob } from './claim-order.ts'
import type { RegisteredKind } from './kind.ts'
import { Lease } from './lease.ts'
import type { Node } from './node.ts'

/** How long a handler may take to notice that its signal was aborted. */
const abortGraceMs = 1000
/** A timer set for longer fires at once. */
const longestTimerMs = 2 ** 31 - 1

export class Worker {
  readonly kind: RegisteredKind
  readonly #node: Node
  /** Wakes further away than this are left to the next look at the table. */
  readonly #horizonMs: number
  readonly #running = new Map<Lease, Promise<void>>()
  /** Claimed while the node was told to stop. */
  readonly #unstarted: ClaimedJob[] = []
  #claiming: Promise<void> | undefined
  /** There may be more to claim than was claimed. */
  #hungry = false
  #stopped = false
  #alarm: { dueAt: number; timer: NodeJS.Timeout } | undefined

  constructor(node: Node, kind: RegisteredKind, horizonMs: number) {
    this.#node = node
    this.kind = kind
    this.#horizonMs = horizonMs
  }

  get #free(): number {
    return this.kind.concurrency - this.#running.size
  }

  /** Has room, and has nothing left to claim that it knows of. */
  get idle(): boolean {
    return this.#free > 0 && !this.#hungry
  }

  wakeAt(dueAt: number): void {
    const inMs = dueAt - this.#node.clock.now()
    if (this.#stopped || inMs > this.#horizonMs) return
    if (inMs <= 0) {
      this.#wake()
      return
    }
    if (this.#alarm !== undefined && this.#alarm.dueAt <= dueAt) return
    clearTimeout(this.#alarm?.timer)
    this.#alarm = { dueAt, timer: setTimeout(() => this.#ring(dueAt), inMs) }
  }

  /** Resolves to the jobs that were not ended; their leases are still to be handed back. */
  async stop(graceMs: number): Promise<ClaimedJob[]> {
    this.#stopped = true
    clearTimeout(this.#alarm?.timer)
    await this.#claiming
    await settled(this.#running.values(), graceMs)
    const left = new Map(this.#running)
    for (const lease of left.keys()) lease.abort(new Error('The node is shutting down.'))
    await settled(left.values(), abortGraceMs)
    const unfinished = [...left.keys()].filter((lease) => !lease.finished).map((lease) => lease.job)
    return [...this.#unstarted.splice(0), ...unfinished]
  }

  #ring(dueAt: number): void {
    this.#alarm = undefined
    // A timer may fire a little before the clock says so; then it is set once more.
    this.wakeAt(dueAt)
  }

  #wake(): void {
    this.#hungry = true
    this.#claiming ??= this.#claimWhileHungry().finally(() => {
      this.#claiming = undefined
      if (this.#mayClaim()) this.#wake()
    })
  }

  #mayClaim(): boolean {
    return this.#hungry && !this.#stopped && this.#free > 0
  }

  async #claimWhileHungry(): Promise<void> {
    while (this.#mayClaim()) {
      this.#hungry = false
      const limit = this.#free
      const jobs = await this.#claim(limit)
      if (jobs.length === limit) this.#hungry = true
      if (this.#stopped) this.#unstarted.push(...jobs)
      else for (const job of jobs) this.#launch(job)
    }
  }

  async #claim(limit: number): Promise<ClaimedJob[]> {
    const { clock, ids, nodeId, db, log } = this.#node
    const now = clock.now()
    const leaseUntil = Math.round(now + this.kind.leaseSeconds * 1000)
    try {
      return await claimJobs(db, { kind: this.kind.name, limit, now, leaseUntil, token: ids.secret(20), nodeId })
    } catch (error) {
      // The next look at the table tries again.
      log.error({ err: error, kind: this.kind.name }, 'Could not claim jobs.')
      return []
    }
  }

  #launch(job: ClaimedJob): void {
    const lease = new Lease(this.#node, job, this.kind.leaseSeconds * 1000)
    const run = attemptJob(this.#node, this.kind, lease).then((dueAgainAt) => {
      lease.release()
      this.#running.delete(lease)
      if (dueAgainAt !== undefined) this.wakeAt(dueAgainAt)
      if (this.#mayClaim()) this.#wake()
    })
    this.#running.set(lease, run)
  }
}

async function settled(runs: Iterable<Promise<void>>, withinMs: number): Promise<void> {
  const timeout = new AbortController()
  const over = delay(Math.min(withinMs, longestTimerMs), undefined, { signal: timeout.signal }).catch(() => undefined)
  await Promise.race([Promise.allSettled(runs), over])
  timeout.abort()
}
