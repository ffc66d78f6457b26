// Bounds what is worked on and waits, so that memory is too: one caller has room for so much, and all together for
// twice that. Whoever fills their own share leaves the others theirs.
export class Admission {
  readonly #most: number
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(most: number) {
    this.#most = most
  }

  get total(): number {
    return this.#total
  }

  /** The result counts it out again. Undefined: there is no room. A caller with nothing there may enter with any count. */
  enter(turn: string, count: number): (() => void) | undefined {
    const own = this.#held.get(turn) ?? 0
    if (own > 0 && own + count > this.#most) return undefined
    if (this.#total > 0 && this.#total + count > 2 * this.#most) return undefined
    this.#add(turn, count)
    let isIn = true
    return () => {
      if (isIn) this.#add(turn, -count)
      isIn = false
    }
  }

  #add(turn: string, count: number): void {
    this.#total += count
    const own = (this.#held.get(turn) ?? 0) + count
    if (own === 0) this.#held.delete(turn)
    else this.#held.set(turn, own)
  }
}
