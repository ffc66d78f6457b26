// Turns of the one thread of a model's process: work is done in slices, and before each the work with least left goes
// first. In one of so many turns the work that came first does, however much it is.
const oldestFirstEvery = 4

interface Waiting {
  left: number
  since: number
  start(): void
}

export class WorkTurns {
  readonly #waiting = new Set<Waiting>()
  #isBusy = false
  #turns = 0
  #lastNumber = 0

  /** Distinguishes one piece of work from another by when it came. */
  next(): number {
    return ++this.#lastNumber
  }

  /** One slice of the work `number`, of which so much is left. Messages that came meanwhile are let in before it. */
  async slice<T>(number: number, left: number, work: () => T | Promise<T>): Promise<T> {
    await this.#take(number, left)
    try {
      return await work()
    } finally {
      // Others that go on from here have their say before the next is chosen.
      setImmediate(() => this.#startNext())
    }
  }

  #take(since: number, left: number): Promise<void> {
    return new Promise((start) => {
      this.#waiting.add({ left, since, start })
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

const goesBefore = (one: Waiting, other: Waiting, byAge: boolean): boolean =>
  byAge || one.left === other.left ? one.since < other.since : one.left < other.left
