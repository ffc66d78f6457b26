// Numbers, the smallest first.
export class NumberHeap {
  readonly #items: number[] = []

  push(item: number): void {
    const items = this.#items
    let at = items.length
    items.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = items[parent] as number
      if (above <= item) break
      items[at] = above
      at = parent
    }
    items[at] = item
  }

  pop(): number | undefined {
    const items = this.#items
    const smallest = items[0]
    const last = items.pop()
    if (smallest === undefined || last === undefined || items.length === 0) return smallest
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      if (child + 1 < items.length && (items[child + 1] as number) < (items[child] as number)) child++
      const below = items[child] as number
      if (below >= last) break
      items[at] = below
      at = child
    }
    items[at] = last
    return smallest
  }
}
