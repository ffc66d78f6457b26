// Work of a moment, done in the server's own thread: so much in one turn of its loop and no more, and callers take turns.
import { TurnLines } from '@atoll/kernel/turns/turn-lines'
import type { Call } from '../../call.ts'

/** Other requests wait no longer for it. */
const msPerTurn = 2

export class LoopTurns {
  readonly #waiting = new TurnLines<() => void>()
  #spentMs = 0
  #isScheduled = false

  /** At once where this turn of the loop has room. Rejects a caller who leaves before it is done. */
  do<T>({ turn, signal }: Call, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const leave = (): void => {
        this.#waiting.remove(turn, start)
        reject(signal.reason)
      }
      const start = (): void => {
        signal.removeEventListener('abort', leave)
        const startedAt = performance.now()
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
        this.#spentMs += performance.now() - startedAt
      }
      this.#schedule()
      if (this.#waiting.size === 0 && this.#spentMs < msPerTurn) {
        start()
        return
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(turn, start)
    })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#newTurn())
  }

  #newTurn(): void {
    this.#spentMs = 0
    this.#isScheduled = false
    while (this.#spentMs < msPerTurn) {
      const start = this.#waiting.next()
      if (start === undefined) return
      start()
    }
    this.#schedule()
  }
}
