// One thing at a time for each name.
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const mine = before.then(work, work)
    const quiet = mine.catch(() => undefined)
    this.#last.set(name, quiet)
    try {
      return await mine
    } finally {
      if (this.#last.get(name) === quiet) this.#last.delete(name)
    }
  }
}
