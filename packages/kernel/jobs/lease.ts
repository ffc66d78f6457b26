// A node's hold on one job while it runs: renewed by a heartbeat, and given up when it cannot be.
import type { Tx } from '../db/database.ts'
import type { ClaimedJob } from './claim-order.ts'
import { LeaseLost } from './jobs.ts'
import type { Node } from './node.ts'
import { endJob, holdJob, isThere, renewLease } from './store.ts'

/** So many chances to renew before the lease ends. */
const renewalsPerLease = 3

export class Lease {
  readonly job: ClaimedJob
  readonly #node: Node
  readonly #leaseMs: number
  readonly #abort = new AbortController()
  readonly #heartbeat: NodeJS.Timeout
  /** As the row has it, which was written before the claim was answered. */
  #until: number
  #renewing = false
  /** A `finish` has removed the row, in a transaction that may yet be undone. */
  #finishing = false
  #finished = false

  constructor(node: Node, job: ClaimedJob, leaseMs: number) {
    this.job = job
    this.#node = node
    this.#leaseMs = leaseMs
    this.#until = job.leaseUntil
    this.#heartbeat = setInterval(() => void this.#renew(), leaseMs / renewalsPerLease)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** True once `finish` has been committed. */
  get finished(): boolean {
    return this.#finished
  }

  async finish(tx: Tx): Promise<void> {
    this.#requireHeld()
    if (!(await endJob(tx, this.job, this.#node.clock.now()))) throw new LeaseLost(this.job.id)
    this.#finishing = true
    this.#node.db.afterCommit(tx, () => {
      this.#finished = true
      this.release()
    })
  }

  async confirm(tx: Tx): Promise<void> {
    this.#requireHeld()
    if (!(await holdJob(tx, this.job))) throw new LeaseLost(this.job.id)
  }

  abort(reason: Error): void {
    this.release()
    this.#abort.abort(reason)
  }

  /** Somebody took the job away. */
  lose(): void {
    if (this.signal.aborted || this.#finished) return
    this.#node.log.warn({ job: this.job.id, kind: this.job.kind }, 'Lost the lease on a job.')
    this.abort(new LeaseLost(this.job.id))
  }

  /** Ends the heartbeat. The row is for others to change. */
  release(): void {
    clearInterval(this.#heartbeat)
  }

  /** Whoever was told to stop may have left something out, even where nobody else has taken the job yet. */
  #requireHeld(): void {
    if (this.signal.aborted) throw new LeaseLost(this.job.id)
  }

  async #renew(): Promise<void> {
    if (this.#renewing) {
      this.#loseIfOver()
      return
    }
    this.#renewing = true
    const until = Math.round(this.#node.clock.now() + this.#leaseMs)
    try {
      if (await renewLease(this.#node.db.queries, this.job, until)) this.#until = until
      else await this.#notRenewed()
    } catch (error) {
      this.#node.log.warn({ err: error, job: this.job.id, kind: this.job.kind }, 'Could not renew the lease on a job.')
      this.#loseIfOver()
    } finally {
      this.#renewing = false
    }
  }

  /**
   * The row may be gone by our own hand, in a commit that we have not heard of yet. But where it is still there it is
   * another's: a `finish` that was undone has changed nothing.
   */
  async #notRenewed(): Promise<void> {
    if (!this.#finishing || (await isThere(this.#node.db.queries, this.job.id))) this.lose()
    else this.#loseIfOver()
  }

  #loseIfOver(): void {
    if (this.#node.clock.now() >= this.#until) this.lose()
  }
}
