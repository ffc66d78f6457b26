// What a build says, in the order of its stages however they run, and never faster than it is read.
export interface BuildMessage {
  stream?: string
  aux?: unknown
  status?: string
  id?: string
  progress?: string
  progressDetail?: object
  error?: string
  errorDetail?: { code?: number; message: string }
}

const maxWaitingBytes = 1024 * 1024

export class Messages {
  readonly #queue: BuildMessage[] = []
  /** What stages said whose turn has not come. */
  readonly #held = new Map<number, BuildMessage[]>()
  readonly #order: readonly number[]
  readonly #finished = new Set<number>()
  #turn = 0
  #bytes = 0
  #isOver = false
  #failure: unknown
  #wakeReader: () => void = () => {}
  #wakeWriters: (() => void)[] = []

  /** Stages in the order in which they are told of. */
  constructor(order: readonly number[]) {
    this.#order = order
  }

  /** Resolves when there is room for more. */
  async say(stage: number, message: BuildMessage): Promise<void> {
    const isTurn = this.#order[this.#turn] === stage || !this.#order.includes(stage)
    if (isTurn) this.#queue.push(message)
    else this.#held.set(stage, [...(this.#held.get(stage) ?? []), message])
    this.#bytes += sizeOf(message)
    this.#wakeReader()
    while (this.#bytes > maxWaitingBytes && !this.#isOver) {
      await new Promise<void>((resolve) => this.#wakeWriters.push(resolve))
    }
  }

  /** Nothing more comes from a stage: the next one may speak. */
  finish(stage: number): void {
    this.#finished.add(stage)
    for (
      let next = this.#order[this.#turn];
      next !== undefined && this.#finished.has(next);
      next = this.#order[this.#turn]
    ) {
      this.#turn += 1
      this.#release()
    }
  }

  end(failure?: unknown): void {
    if (this.#isOver) return
    while (this.#turn < this.#order.length) {
      this.#release()
      this.#turn += 1
    }
    this.#isOver = true
    this.#failure = failure
    this.#wakeReader()
    this.#wakeAll()
  }

  async *read(): AsyncGenerator<BuildMessage> {
    for (;;) {
      const next = this.#queue.shift()
      if (next !== undefined) {
        this.#bytes -= sizeOf(next)
        if (this.#bytes <= maxWaitingBytes) this.#wakeAll()
        yield next
      } else if (this.#isOver) {
        if (this.#failure !== undefined) throw this.#failure
        return
      } else {
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve
        })
      }
    }
  }

  /** What the stage whose turn it is has said before. */
  #release(): void {
    const stage = this.#order[this.#turn]
    if (stage === undefined) return
    this.#queue.push(...(this.#held.get(stage) ?? []))
    this.#held.delete(stage)
    this.#wakeReader()
  }

  #wakeAll(): void {
    for (const wake of this.#wakeWriters.splice(0)) wake()
  }
}

const sizeOf = ({ stream = '', status = '' }: BuildMessage): number => stream.length + status.length + 100
