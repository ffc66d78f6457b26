// One kind of job on one node: claims what is due, runs so many at once, and stops in an orderly way.
import { setTimeout as delay } from 'node:timers/promises'
import { attemptJob } from './attempt.ts'
import { claimJobs } from './claim.ts'
import type { ClaimedJob, ClaimOrder } from './claim-order.ts'
import type { NewJob } from './insert.ts'
import type { RegisteredKind } from './kind.ts'
import { Lease } from './lease.ts'
import type { Node } from './node.ts'
import { handBackJob, readyDue } from './store.ts'
import { Turns } from './turns.ts'

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
  readonly #turns = new Turns()
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

  /**
   * Nobody waits for a place here: whoever comes now takes none away. Those of a tenant that has as many as it may are
   * looked for when one of them ends.
   */
  #hasPlaceFor({ tenant }: Pick<ClaimedJob, 'tenant'>): boolean {
    const { tenantConcurrency = this.kind.concurrency } = this.kind
    const isTenantsTurn = (this.#turns.running.get(tenant) ?? 0) < tenantConcurrency
    return this.idle && this.#claiming === undefined && isTenantsTurn
  }

  /**
   * A new job as it is after its claim, where this node would claim it at once: it is written so, and needs no second
   * commit. Undefined where others may come first, or where it may have to wait.
   */
  claimNew(job: NewJob): (NewJob & ClaimedJob) | undefined {
    const mayWait = job.lane !== null || this.kind.held !== undefined
    if (this.#stopped || mayWait || !this.#hasPlaceFor(job)) return undefined
    const { token, leaseUntil } = this.#terms()
    return { ...job, unique_key: null, attempts: 1, token, leaseUntil }
  }

  /** With a job that was written as claimed, once it is committed. Others may have come first meanwhile. */
  begin(job: ClaimedJob): void {
    if (this.#stopped) this.#unstarted.push(job)
    else if (!this.#hasPlaceFor(job)) void this.#giveBack(job)
    else {
      this.#turns.passed([job])
      this.#launch(job)
    }
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

  /** Somebody took a job away that may be running here. */
  lose(id: string): void {
    for (const lease of this.#running.keys()) if (lease.job.id === id) lease.lose()
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

  /** It takes turns with the others, where it would be had it never been claimed. */
  async #giveBack(job: ClaimedJob): Promise<void> {
    const { db, log } = this.#node
    try {
      await handBackJob(db.queries, job, job.run_at)
    } catch (error) {
      log.error({ err: error, job: job.id, kind: job.kind }, 'Could not give a job back; its lease will run out.')
    }
    this.#hungry = true
    if (this.#mayClaim()) this.#wake()
  }

  async #claim(limit: number): Promise<ClaimedJob[]> {
    const { clock, db, log } = this.#node
    try {
      const held = (await this.kind.held?.()) ?? []
      if (held === 'all') return []
      if (await readyDue(db, this.kind.name, clock.now())) this.#hungry = true
      const jobs = await claimJobs(db, { ...this.#terms(), limit, held })
      this.#turns.passed(jobs)
      return jobs
    } catch (error) {
      // The next look at the table tries again.
      log.error({ err: error, kind: this.kind.name }, 'Could not claim jobs.')
      return []
    }
  }

  #terms(): Omit<ClaimOrder, 'limit' | 'held'> {
    const { clock, ids, nodeId } = this.#node
    const { name, leaseSeconds, concurrency, tenantConcurrency = concurrency } = this.kind
    const { running, lastTenant } = this.#turns
    const leaseUntil = Math.round(clock.now() + leaseSeconds * 1000)
    return { kind: name, leaseUntil, token: ids.secret(20), nodeId, tenantConcurrency, running, lastTenant }
  }

  #launch(job: ClaimedJob): void {
    const lease = new Lease(this.#node, job, this.kind.leaseSeconds * 1000)
    this.#turns.began(job)
    const run = attemptJob(this.#node, this.kind, lease).then((dueAgainAt) => {
      lease.release()
      this.#running.delete(lease)
      this.#turns.ended(job)
      if (dueAgainAt !== undefined) this.wakeAt(dueAgainAt)
      if (this.#mayHaveMore(job)) this.#hungry = true
      if (this.#mayClaim()) this.#wake()
    })
    this.#running.set(lease, run)
  }

  /** Its lane goes on, it was asked for once more, or its tenant had as many as it may. */
  #mayHaveMore({ lane, unique_key }: ClaimedJob): boolean {
    return lane !== null || unique_key !== null || this.kind.tenantConcurrency !== undefined
  }
}

async function settled(runs: Iterable<Promise<void>>, withinMs: number): Promise<void> {
  const timeout = new AbortController()
  const over = delay(Math.min(withinMs, longestTimerMs), undefined, { signal: timeout.signal }).catch(() => undefined)
  await Promise.race([Promise.allSettled(runs), over])
  timeout.abort()
}
