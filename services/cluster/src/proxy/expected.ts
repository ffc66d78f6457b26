// The replies a session still waits for, in their order. Ordinary ones are only counted.

/** What becomes of a reply: it passes, it is swallowed, or other bytes take its place. */
export type Fate = 'pass' | 'swallow' | Buffer

/** A reply that is looked at. */
export interface Awaited {
  kind: 'awaited'
  judge(reply: Buffer): Fate
  /** However long it is, nobody looks at it. */
  isDropped?: boolean
}

interface Run {
  kind: 'plain'
  count: number
}

export class Expected {
  /** Replies the client does not want: it has turned them off, or asked to be spared the next. */
  muted: 'none' | 'next' | 'all' = 'none'
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
    const mutedCount = this.#mutedOf(count)
    for (let left = mutedCount; left > 0; left--) this.#queue.push(dropped)
    if (mutedCount < count) this.#addRun(count - mutedCount)
  }

  add(awaited: Awaited): void {
    if (this.#mutedOf(1) === 0) this.#queue.push(awaited)
    else this.#queue.push({ kind: 'awaited', judge: (reply) => swallowed(awaited, reply) })
  }

  /** Of what the endpoint itself has asked. */
  addOwn(awaited: Awaited): void {
    this.#queue.push(awaited)
  }

  #mutedOf(count: number): number {
    if (this.muted === 'none') return 0
    if (this.muted === 'all') return count
    this.muted = 'none'
    return Math.min(1, count)
  }

  #addRun(count: number): void {
    const last = this.#queue.at(-1)
    if (this.isEmpty || last?.kind !== 'plain') this.#queue.push({ kind: 'plain', count })
    else last.count += count
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

const dropped: Awaited = { kind: 'awaited', judge: () => 'swallow', isDropped: true }

function swallowed(awaited: Awaited, reply: Buffer): Fate {
  awaited.judge(reply)
  return 'swallow'
}
