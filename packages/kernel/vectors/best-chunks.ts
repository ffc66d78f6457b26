// Keeps the best chunks of those it is offered.
export interface ScoredChunk {
  number: number
  score: number
}

/** Sorted now and then, not with every offer. */
const slack = 64

export class BestChunks {
  readonly #count: number
  #list: ScoredChunk[] = []
  /** What scores less is not among the best. */
  border = 0

  constructor(count: number) {
    this.#count = count
  }

  offer(number: number, score: number): void {
    if (score < this.border) return
    this.#list.push({ number, score })
    if (this.#list.length >= this.#count + slack) this.#trim()
  }

  /** With those that do not score less. */
  copy(border: number): BestChunks {
    const copy = new BestChunks(this.#count)
    copy.border = border
    for (const { number, score } of this.#list) copy.offer(number, score)
    return copy
  }

  /** Best first; of equals the oldest. */
  get list(): readonly ScoredChunk[] {
    this.#trim()
    return this.#list
  }

  #trim(): void {
    this.#list.sort((a, b) => b.score - a.score || a.number - b.number)
    if (this.#list.length < this.#count) return
    this.#list.length = this.#count
    this.border = Math.max(this.border, this.#list.at(-1)?.score ?? 0)
  }
}
