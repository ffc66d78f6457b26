// The clock of nodes that share a database is the database's. Each has it by asking now and then, and counts elapsed time
// in between: one whose own clock is wrong or jumps would expire what others have just begun, and mix up what is in order.
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Clock } from './clock.ts'

/** An answer that took so long tells the time well enough to begin with. */
const quickMs = 20
const firstLooks = 5

export class GroupClock implements Clock {
  readonly #queries: Queries
  /** The database's time when this process began to count. */
  #origin = Number.NaN
  /** By how much it may be wrong. */
  #within = Number.POSITIVE_INFINITY

  private constructor(queries: Queries) {
    this.#queries = queries
  }

  /** Looks several times where the database answers slowly: a first look alone may be wrong by half of what it took. */
  static async set(queries: Queries): Promise<GroupClock> {
    const clock = new GroupClock(queries)
    for (let look = 0; look < firstLooks && clock.#within > quickMs / 2; look++) await clock.compare()
    return clock
  }

  now(): number {
    return Math.round(this.#origin + performance.now())
  }

  /**
   * Asks again. Nothing is known better than to half of the way there and back: the quickest answer so far is believed,
   * until one shows that it cannot be right any more.
   */
  async compare(): Promise<void> {
    const asked = performance.now()
    const { rows } = await sql<{ ms: number | string }>`
      select extract(epoch from clock_timestamp()) * 1000 as ms`.execute(this.#queries)
    const half = (performance.now() - asked) / 2
    const origin = Number(rows[0]?.ms) - asked - half
    if (half >= this.#within && Math.abs(origin - this.#origin) <= half) return
    this.#origin = origin
    this.#within = half
  }
}
