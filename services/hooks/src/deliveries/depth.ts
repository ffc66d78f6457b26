// How many deliveries wait: counted once, then kept up to date by whoever adds and takes.
import type { Database } from '@atoll/kernel/db/database'
import { countQueued } from './store.ts'

const countEveryMs = 10_000

export class QueueDepth {
  readonly #db: Database
  #waiting = 0
  #timer: NodeJS.Timeout | undefined

  constructor(db: Database) {
    this.#db = db
  }

  /** Where other nodes add and take too, it is counted again and again. */
  async start(): Promise<void> {
    await this.#count()
    if (this.#db.kind === 'sqlite') return
    this.#timer = setInterval(() => void this.#count().catch(() => undefined), countEveryMs)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  get waiting(): number {
    return this.#waiting
  }

  add(count: number): void {
    this.#waiting = Math.max(0, this.#waiting + count)
  }

  async #count(): Promise<void> {
    this.#waiting = await countQueued(this.#db.queries)
  }
}
