// Large transactions come one after the other, in turns by project: whoever else wants to write waits for one of them
// at most, however many files are under way.
import { TurnLines } from '@atoll/kernel/turns/turn-lines'

export class StoringTurns {
  readonly #waiting = new TurnLines<() => void>()
  #isTaken = false

  /** `turn`: whose it is. */
  async do<Result>(turn: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#isTaken) await new Promise<void>((start) => this.#waiting.add(turn, start))
    this.#isTaken = true
    try {
      return await work()
    } finally {
      const start = this.#waiting.next()
      if (start === undefined) this.#isTaken = false
      else start()
    }
  }
}
