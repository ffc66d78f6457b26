// What several make and one reads, at the reader's pace: whoever makes waits while too much is unread.
const maxUnread = 32

export class PacedQueue<Item> implements AsyncIterable<Item> {
  readonly #items: Item[] = []
  #end: { error?: unknown } | undefined
  #isDropped = false
  #wakeReader: (() => void) | undefined
  #wakeMakers: (() => void)[] = []

  push(item: Item): void {
    if (this.#end !== undefined || this.#isDropped) return
    this.#items.push(item)
    this.#wakeReader?.()
  }

  /** Resolves when more can be taken. */
  async ready(): Promise<void> {
    while (this.#items.length >= maxUnread && !this.#isDropped) {
      await new Promise<void>((resolve) => this.#wakeMakers.push(resolve))
    }
  }

  end(): void {
    this.#end ??= {}
    this.#wakeReader?.()
  }

  /** What was pushed before is still read. */
  fail(error: unknown): void {
    this.#end ??= { error }
    this.#wakeReader?.()
  }

  /** Nobody reads on. */
  drop(): void {
    this.#isDropped = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for (;;) {
      while (this.#items.length > 0) {
        const item = this.#items.shift() as Item
        this.#wake()
        yield item
      }
      if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error
        return
      }
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve
      })
    }
  }

  #wake(): void {
    for (const wake of this.#wakeMakers.splice(0)) wake()
  }
}
