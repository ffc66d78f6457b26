// Work on one container happens one after the other; on different ones at the same time.
export class ContainerQueue {
  readonly #last = new Map<string, Promise<unknown>>()

  run<T>(containerId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(containerId) ?? Promise.resolve()
    const mine = before.then(work, work)
    const settled = mine.catch(() => {})
    this.#last.set(containerId, settled)
    void settled.then(() => {
      if (this.#last.get(containerId) === settled) this.#last.delete(containerId)
    })
    return mine
  }
}
