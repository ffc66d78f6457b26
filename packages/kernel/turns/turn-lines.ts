// Those who wait, one line for each caller. The next is the first of the line whose turn it is; then it is the next
// line's turn.
export class TurnLines<T> {
  /** In the order of their next turn. */
  readonly #lines = new Map<string, Set<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  lengthOf(turn: string): number {
    return this.#lines.get(turn)?.size ?? 0
  }

  add(turn: string, item: T): void {
    const line = this.#lines.get(turn)
    if (line) line.add(item)
    else this.#lines.set(turn, new Set([item]))
    this.#size++
  }

  remove(turn: string, item: T): void {
    const line = this.#lines.get(turn)
    if (!line?.delete(item)) return
    this.#size--
    if (line.size === 0) this.#lines.delete(turn)
  }

  /** Of the first caller in turn that may have one. */
  next(mayHave: (turn: string) => boolean = () => true): T | undefined {
    for (const [turn, line] of this.#lines) {
      const [item] = line
      if (item === undefined || !mayHave(turn)) continue
      this.remove(turn, item)
      if (line.size > 0) {
        // To the end of the round.
        this.#lines.delete(turn)
        this.#lines.set(turn, line)
      }
      return item
    }
    return undefined
  }

  /** The newest of the longest line, if that is longer than `than`. */
  lastOfLongest(than: number): T | undefined {
    let longest: Set<T> | undefined
    for (const line of this.#lines.values()) if (line.size > (longest?.size ?? than)) longest = line
    return longest === undefined ? undefined : [...longest].at(-1)
  }
}
