// One thing at a time for each name.
export class Turns<Name> {
  readonly #last = new Map<Name, Promise<unknown>>()

  async take<T>(name: Name, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const mine = before.then(work)
    const quiet = mine.catch(() => undefined)
    this.#last.set(name, quiet)
    try {
      return await mine
    } finally {
      if (this.#last.get(name) === quiet) this.#last.delete(name)
    }
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values())
  }
}
