// Turns of the one thread of a model's process: work is done in slices, and before each the work with least left goes
// first. In one of so many turns the work that came first does, however much it is. What nobody waits for comes last.
const oldestFirstEvery = 4

/** One piece of work, told from others by when it came. */
export interface Work {
  number: number
  isBackground: boolean
}

interface Waiting extends Work {
  left: number
  start(): void
}

export class WorkTurns {
  readonly #waiting = new Set<Waiting>()
  #isBusy = false
  #turns = 0
  #lastNumber = 0

  next(isBackground = false): Work {
    return { number: ++this.#lastNumber, isBackground }
  }

  /** One slice of the work, of which so much is left. Messages that came meanwhile are let in before it. */
  async slice<T>(work: Work, left: number, run: () => T | Promise<T>): Promise<T> {
    await this.#take(work, left)
    try {
      return await run()
    } finally {
      // Others that go on from here have their say before the next is chosen.
      setImmediate(() => this.#startNext())
    }
  }

  #take(work: Work, left: number): Promise<void> {
    return new Promise((start) => {
      this.#waiting.add({ ...work, left, start })
      if (this.#isBusy) return
      this.#isBusy = true
      setImmediate(() => this.#startNext())
    })
  }

  #startNext(): void {
    const byAge = this.#turns++ % oldestFirstEvery === 0
    let first: Waiting | undefined
    for (const waiting of this.#waiting) if (first === undefined || goesBefore(waiting, first, byAge)) first = waiting
    this.#isBusy = first !== undefined
    if (first === undefined) return
    this.#waiting.delete(first)
    first.start()
  }
}

function goesBefore(one: Waiting, other: Waiting, byAge: boolean): boolean {
  if (one.isBackground !== other.isBackground) return other.isBackground
  return byAge || one.left === other.left ? one.number < other.number : one.left < other.left
}
