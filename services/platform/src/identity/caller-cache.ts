// Who holds which key, remembered for a moment: the answer to most requests without asking the database.
// Forgotten as a whole when identity changes anywhere; the lifetime is only a net under that.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { AdminCaller, ProjectCaller } from '../callers.ts'

export type Caller = ProjectCaller | AdminCaller

const maxEntries = 10_000
const lifetimeMs = 10_000

interface Entry {
  caller: Caller
  expiresAt: number
}

export class CallerCache {
  readonly #clock: Clock
  /** In the order of use, the least recent first, as far as it matters. */
  readonly #entries = new Map<string, Entry>()
  #generation = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#entries.size
  }

  /** Take it before asking the database, and hand it to `remember`. */
  get generation(): number {
    return this.#generation
  }

  find(key: string): Caller | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.expiresAt <= this.#clock.now()) {
      this.#entries.delete(key)
      return undefined
    }
    // While there is plenty of room, nobody asks for the order.
    if (this.#entries.size > maxEntries / 2) {
      this.#entries.delete(key)
      this.#entries.set(key, entry)
    }
    return entry.caller
  }

  /** An answer that was on its way while something changed may be old: it is not kept. */
  remember(key: string, caller: Caller, generation: number): void {
    if (generation !== this.#generation) return
    this.#entries.set(key, { caller, expiresAt: this.#clock.now() + lifetimeMs })
    if (this.#entries.size <= maxEntries) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }

  clear(): void {
    this.#generation += 1
    this.#entries.clear()
  }
}
