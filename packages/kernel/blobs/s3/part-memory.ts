// Bounds what all writes of a process hold in memory together, and keeps one of them going when it is used up.

export class PartMemory {
  readonly #maxBytes: number
  #used = 0
  /** May go beyond the bound until it gives something back: else many half parts could wait for one another for ever. */
  #favoured: object | undefined
  readonly #waiting: { writer: object; bytes: number; go: () => void }[] = []

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** `go` is called at once where there is room, and in turn where there is none. */
  take(writer: object, bytes: number, go: () => void): void {
    if (this.#waiting.length === 0 && this.#fits(writer, bytes)) {
      this.#used += bytes
      go()
      return
    }
    this.#waiting.push({ writer, bytes, go })
    this.#wake()
  }

  giveBack(writer: object, bytes: number): void {
    this.#used -= bytes
    if (this.#favoured === writer) this.#favoured = undefined
    this.#wake()
  }

  /** What it waited for never comes. */
  forget(writer: object): void {
    const at = this.#waiting.findIndex((waiting) => waiting.writer === writer)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  #fits(writer: object, bytes: number): boolean {
    return this.#used + bytes <= this.#maxBytes || this.#favoured === writer
  }

  #wake(): void {
    for (;;) {
      this.#favoured ??= this.#waiting[0]?.writer
      const at = this.#waiting.findIndex(({ writer, bytes }) => this.#fits(writer, bytes))
      const [next] = at < 0 ? [] : this.#waiting.splice(at, 1)
      if (next === undefined) break
      this.#used += next.bytes
      next.go()
    }
  }
}
