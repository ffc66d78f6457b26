// Starts again what has died: at once when it had run well, later and later when it keeps dying.
import type { Log } from '@atoll/kernel/telemetry/log'

/** What has run so long ran well. */
const stableMs = 2000
const firstPauseMs = 100
const longestPauseMs = 30_000

interface Watched {
  failures: number
  revivedAt: number
  timer: NodeJS.Timeout | undefined
}

export class Supervision {
  readonly #revive: (uid: number) => Promise<void>
  readonly #log: Log
  readonly #watched = new Map<number, Watched>()
  #isStopped = false

  constructor(revive: (uid: number) => Promise<void>, log: Log) {
    this.#revive = revive
    this.#log = log
  }

  /** Something of this database has ended, or may have. */
  look(uid: number): void {
    const watched = this.#of(uid)
    if (performance.now() - watched.revivedAt > stableMs) watched.failures = 0
    this.#schedule(uid, watched)
  }

  forget(uid: number): void {
    clearTimeout(this.#watched.get(uid)?.timer)
    this.#watched.delete(uid)
  }

  stop(): void {
    this.#isStopped = true
    for (const uid of [...this.#watched.keys()]) this.forget(uid)
  }

  #of(uid: number): Watched {
    const known = this.#watched.get(uid)
    if (known !== undefined) return known
    const watched: Watched = { failures: 0, revivedAt: Number.NEGATIVE_INFINITY, timer: undefined }
    this.#watched.set(uid, watched)
    return watched
  }

  #schedule(uid: number, watched: Watched): void {
    if (this.#isStopped || watched.timer !== undefined) return
    const pauseMs = watched.failures === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (watched.failures - 1))
    watched.timer = setTimeout(() => void this.#run(uid, watched), pauseMs)
  }

  async #run(uid: number, watched: Watched): Promise<void> {
    watched.timer = undefined
    watched.failures++
    try {
      await this.#revive(uid)
      watched.revivedAt = performance.now()
    } catch (error) {
      this.#log.warn({ err: error, bdb: uid }, 'a database could not be put right')
      if (this.#watched.get(uid) === watched) this.#schedule(uid, watched)
    }
  }
}
