// The replies a session still waits for, in their order. Ordinary ones are only counted.

/** What becomes of a reply: it passes, it is swallowed, or other bytes take its place. */
export type Fate = 'pass' | 'swallow' | Buffer

/** A reply that is looked at. */
export interface Awaited {
  kind: 'awaited'
  judge(reply: Buffer): Fate
}

interface Run {
  kind: 'plain'
  count: number
}

export class Expected {
  readonly #queue: (Run | Awaited)[] = []
  #first = 0

  get isEmpty(): boolean {
    return this.#first === this.#queue.length
  }

  /** A run of ordinary ones counts as one. */
  get length(): number {
    return this.#queue.length - this.#first
  }

  /** Undefined when the next reply is an ordinary one, or none is awaited. */
  get awaited(): Awaited | undefined {
    const head = this.#queue[this.#first]
    return head === undefined || head.kind === 'plain' ? undefined : head
  }

  addPlain(count: number): void {
    const last = this.#queue.at(-1)
    if (this.isEmpty || last?.kind !== 'plain') this.#queue.push({ kind: 'plain', count })
    else last.count += count
  }

  add(awaited: Awaited): void {
    this.#queue.push(awaited)
  }

  /** A reply has come. */
  done(): void {
    const head = this.#queue[this.#first]
    if (head === undefined) return
    if (head.kind === 'plain' && --head.count > 0) return
    this.#first++
    if (this.isEmpty) this.clear()
  }

  clear(): void {
    this.#queue.length = 0
    this.#first = 0
  }
}
