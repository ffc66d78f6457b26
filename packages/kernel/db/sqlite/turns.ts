// Whoever waits, in turns: one with a thousand reads waiting comes no sooner to the next than one with a single read.
export class Turns<Item> {
  readonly #waiting = new Map<string, Item[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(key: string, item: Item): void {
    this.#size++
    const others = this.#waiting.get(key)
    if (others) others.push(item)
    else this.#waiting.set(key, [item])
  }

  /** The first of the first who may; their further items then wait behind everybody else's. */
  take(may: (key: string) => boolean): Item | undefined {
    for (const [key, items] of this.#waiting) {
      if (!may(key)) continue
      const [first, ...rest] = items
      this.#waiting.delete(key)
      if (rest.length > 0) this.#waiting.set(key, rest)
      this.#size--
      return first
    }
    return undefined
  }

  remove(key: string, item: Item): void {
    const items = this.#waiting.get(key) ?? []
    const rest = items.filter((other) => other !== item)
    this.#size -= items.length - rest.length
    if (rest.length > 0) this.#waiting.set(key, rest)
    else this.#waiting.delete(key)
  }

  clear(): Item[] {
    const all = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    this.#size = 0
    return all
  }
}
