// What one side pushes and the other takes when it likes. Its user bounds what can be in it.
export class EventQueue<T> {
  #items: T[] = []
  #wake: (() => void) | undefined
  #error: unknown
  #failed = false

  push(item: T): void {
    this.#items.push(item)
    this.#wake?.()
  }

  /** What was pushed before is still taken. */
  fail(error: unknown): void {
    this.#failed = true
    this.#error = error
    this.#wake?.()
  }

  /** All there is, at least one. */
  async take(): Promise<T[]> {
    while (this.#items.length === 0) {
      if (this.#failed) throw this.#error
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await promise
    }
    const items = this.#items
    this.#items = []
    return items
  }
}
