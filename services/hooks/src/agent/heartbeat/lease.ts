// One node's hold on the heartbeat: renewed while a turn runs, given up when it cannot be.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import { changeWithLease, type HeartbeatRow, takeLease } from './store.ts'

const leaseMs = 30_000
const renewEveryMs = 10_000

export class LeaseLost extends Error {
  override name = 'LeaseLost'
  override message = 'Another node has taken over the heartbeat.'
}

export class HeartbeatLease {
  /** As it was when the lease was taken. */
  readonly row: HeartbeatRow
  readonly #db: Database
  readonly #clock: Clock
  readonly #token: string
  readonly #lost = new AbortController()
  readonly #timer: NodeJS.Timeout
  #until: number

  private constructor(db: Database, clock: Clock, token: string, row: HeartbeatRow) {
    this.#db = db
    this.#clock = clock
    this.#token = token
    this.row = row
    this.#until = clock.now() + leaseMs
    this.#timer = setInterval(() => void this.#renew(), renewEveryMs)
  }

  /** Undefined: somebody else has it. */
  static async take(db: Database, clock: Clock, token: string): Promise<HeartbeatLease | undefined> {
    const now = clock.now()
    const row = await takeLease(db.queries, token, now, now + leaseMs)
    return row && new HeartbeatLease(db, clock, token, row)
  }

  /** Aborted when it is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** Throws, and so undoes `tx`, when it is lost. */
  async change(tx: Tx | Queries, change: Partial<HeartbeatRow>): Promise<void> {
    if (!(await changeWithLease(tx, this.#token, change))) throw new LeaseLost()
  }

  async release(): Promise<void> {
    clearInterval(this.#timer)
    await changeWithLease(this.#db.queries, this.#token, { lease_token: null, lease_until: null })
  }

  async #renew(): Promise<void> {
    const until = this.#clock.now() + leaseMs
    try {
      const isHeld = await changeWithLease(this.#db.queries, this.#token, { lease_until: until })
      if (isHeld) this.#until = until
      else this.#lost.abort(new LeaseLost())
    } catch {
      if (this.#clock.now() >= this.#until) this.#lost.abort(new LeaseLost())
    }
  }
}
