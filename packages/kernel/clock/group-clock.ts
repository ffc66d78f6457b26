// The clock of nodes that share a database is the database's. Each has it by asking now and then, and counts elapsed time
// in between: one whose own clock is wrong or jumps would expire what others have just begun, and mix up what is in order.
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Clock } from './clock.ts'

export class GroupClock implements Clock {
  readonly #queries: Queries
  /** The database's time when this process began to count. */
  #origin: number

  private constructor(queries: Queries) {
    this.#queries = queries
    this.#origin = Number.NaN
  }

  static async set(queries: Queries): Promise<GroupClock> {
    const clock = new GroupClock(queries)
    await clock.compare()
    return clock
  }

  now(): number {
    return Math.round(this.#origin + performance.now())
  }

  /** Asks again. Nothing is known better than to half of the way there and back: within that, it goes on as it went. */
  async compare(): Promise<void> {
    const asked = performance.now()
    const { rows } = await sql<{ ms: number | string }>`
      select extract(epoch from clock_timestamp()) * 1000 as ms`.execute(this.#queries)
    const half = (performance.now() - asked) / 2
    const origin = Number(rows[0]?.ms) - asked - half
    if (!(Math.abs(origin - this.#origin) <= half)) this.#origin = origin
  }
}
