// A node's hold on one delivery while it runs: renewed by a heartbeat, and given up when it cannot be.
import type { Tx } from '@atoll/kernel/db/database'
import { LeaseLost } from '@atoll/kernel/jobs/jobs'
import type { Kernel } from '@atoll/kernel/kernel'
import type { ClaimedDelivery, Outcome } from '../ports.ts'
import { endAttempt } from './attempts.ts'
import { addEvent } from './delivery-events.ts'
import { renewLane } from './lanes.ts'
import { tellNews } from './news.ts'
import { actionOf } from './row.ts'
import type { Taken } from './take.ts'

/** So many chances to renew before the lease ends. */
const renewalsPerLease = 3

type Parts = Pick<Kernel, 'db' | 'clock' | 'events' | 'log'>

export class HeldDelivery implements ClaimedDelivery {
  readonly taken: Taken
  readonly action: ClaimedDelivery['action']
  readonly #parts: Parts
  readonly #leaseMs: number
  readonly #abort = new AbortController()
  readonly #heartbeat: NodeJS.Timeout
  #until: number
  #isRenewing = false
  #isFinishing = false
  #isFinished = false
  #told: Promise<void> = Promise.resolve()

  constructor(parts: Parts, taken: Taken, leaseMs: number) {
    const action = actionOf(taken.row)
    if (action?.kind !== 'agent') throw new Error(`the delivery ${taken.id} is none that runs`)
    this.action = action
    this.taken = taken
    this.#parts = parts
    this.#leaseMs = leaseMs
    this.#until = parts.clock.now() + leaseMs
    this.#heartbeat = setInterval(() => void this.#renew(), leaseMs / renewalsPerLease)
  }

  get id(): string {
    return this.taken.id
  }

  get trust(): ClaimedDelivery['trust'] {
    return this.taken.row.trust
  }

  get receivedAt(): number {
    return this.taken.row.received_at
  }

  get attempt(): number {
    return this.taken.attempt
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** True once `finish` has been committed. */
  get isFinished(): boolean {
    return this.#isFinished
  }

  async finish(tx: Tx, outcome: Outcome): Promise<void> {
    if (this.signal.aborted) throw new LeaseLost(this.id)
    const { db, clock, events } = this.#parts
    this.#isFinishing = true
    if (!(await endAttempt(tx, this.taken, outcome, clock.now()))) throw new LeaseLost(this.id)
    await tellNews(events, tx, [this.id])
    db.afterCommit(tx, () => {
      this.#isFinished = true
      this.release()
    })
  }

  /** One after the other: they are numbered. */
  tell({ type, ...detail }: { type: string; [detail: string]: unknown }): Promise<void> {
    const { db, clock, events } = this.#parts
    const at = clock.now()
    const told = this.#told.then(() =>
      db.transaction(async (tx) => {
        await addEvent(tx, this.id, at, type, detail)
        await tellNews(events, tx, [this.id])
      }),
    )
    this.#told = told.catch(() => undefined)
    return told
  }

  abort(reason: Error): void {
    this.release()
    this.#abort.abort(reason)
  }

  /** Ends the heartbeat. The rows are for others to change. */
  release(): void {
    clearInterval(this.#heartbeat)
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing) return this.#loseIfOver()
    this.#isRenewing = true
    const { lane, token } = this.taken
    const until = Math.round(this.#parts.clock.now() + this.#leaseMs)
    try {
      if (await renewLane(this.#parts.db.queries, lane, token, until)) this.#until = until
      else if (!this.#isFinishing) this.#lose()
    } catch (error) {
      this.#parts.log.warn({ err: error, delivery: this.id }, 'Could not renew the lease on a delivery.')
      this.#loseIfOver()
    } finally {
      this.#isRenewing = false
    }
  }

  #loseIfOver(): void {
    if (this.#parts.clock.now() >= this.#until) this.#lose()
  }

  #lose(): void {
    if (this.signal.aborted || this.#isFinished) return
    this.#parts.log.warn({ delivery: this.id }, 'Lost the lease on a delivery.')
    this.abort(new LeaseLost(this.id))
  }
}
