// Work that nobody asks for a second time, and that is to be done all the same: what one store does not take in this
// moment it takes in a later one. Each is tried, at longer and longer intervals, until it is done, until another of its
// name takes its place, or until it is of no use any more.
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@atoll/kernel/telemetry/log'

type Work = () => Promise<void>

interface Waiting {
  work: Work
  /** False: it was given up. */
  done: Promise<boolean>
  /** It is tried now, however long it was to rest. */
  wake(): void
}

const firstRestMs = 250
const usualRestMs = 10_000

/** Names are of things that are known, so there are never more of them than of these. */
export class Retries {
  readonly #log: Log
  readonly #longestRestMs: number
  readonly #waiting = new Map<string, Waiting>()
  readonly #stopped = new AbortController()

  constructor(log: Log, longestRestMs = usualRestMs) {
    this.#log = log
    this.#longestRestMs = longestRestMs
  }

  /**
   * Of one name the last counts: it begins when the one before it has ended, well or not, and whoever waits for that one
   * waits for it. False: it was given up.
   */
  run(name: string, work: Work): Promise<boolean> {
    if (this.#stopped.signal.aborted) return Promise.resolve(false)
    const known = this.#waiting.get(name)
    if (known !== undefined) {
      known.work = work
      known.wake()
      return known.done
    }
    const { promise: done, resolve } = Promise.withResolvers<boolean>()
    const waiting = { work, done, wake: () => {} }
    this.#waiting.set(name, waiting)
    void this.#try(name, waiting).then(resolve)
    return done
  }

  /** What is tried just now still comes to its end. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    for (const { wake } of this.#waiting.values()) wake()
    await this.settled()
  }

  /** Everything that is to be done by now is done, or given up. */
  async settled(): Promise<void> {
    await Promise.all([...this.#waiting.values()].map(({ done }) => done))
  }

  async #try(name: string, waiting: Waiting): Promise<boolean> {
    const { signal } = this.#stopped
    for (let restMs = firstRestMs; ; restMs = Math.min(2 * restMs, this.#longestRestMs)) {
      const { work } = waiting
      const isDone = await this.#attempt(name, work)
      const isLast = waiting.work === work
      if ((isDone && isLast) || signal.aborted) {
        this.#waiting.delete(name)
        return isDone && isLast
      }
      if (isLast) await this.#rest(waiting, restMs)
    }
  }

  async #attempt(name: string, work: Work): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#log.warn({ error: (error as Error).message }, `${name}: tried again`)
      return false
    }
  }

  async #rest(waiting: Waiting, ms: number): Promise<void> {
    const woken = new AbortController()
    waiting.wake = () => woken.abort()
    await pause(ms, undefined, { ref: false, signal: woken.signal }).catch(() => {})
    waiting.wake = () => {}
  }
}
