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
  readonly #held = new Map<number, { messages: BuildMessage[]; bytes: number; isClipped: boolean }>()
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

  /**
   * Resolves when there is room for more. A stage whose turn has not come never waits, since the others may wait for it
   * to end: of what it says too much, the beginning is left out.
   */
  async say(stage: number, message: BuildMessage): Promise<void> {
    if (!this.#isTurnOf(stage)) return this.#hold(stage, message)
    this.#enqueue(message)
    while (!this.#isOver && this.#bytes > maxWaitingBytes) {
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

  #isTurnOf(stage: number): boolean {
    return this.#order[this.#turn] === stage || !this.#order.includes(stage)
  }

  #hold(stage: number, message: BuildMessage): void {
    const held = this.#held.get(stage) ?? { messages: [], bytes: 0, isClipped: false }
    this.#held.set(stage, held)
    held.messages.push(message)
    held.bytes += sizeOf(message)
    while (held.bytes > maxWaitingBytes && held.messages.length > 1) {
      const dropped = held.messages.shift()
      held.bytes -= dropped === undefined ? 0 : sizeOf(dropped)
      held.isClipped = true
    }
  }

  #enqueue(message: BuildMessage): void {
    this.#queue.push(message)
    this.#bytes += sizeOf(message)
    this.#wakeReader()
  }

  /** What the stage whose turn it is has said before. */
  #release(): void {
    const stage = this.#order[this.#turn]
    const held = stage === undefined ? undefined : this.#held.get(stage)
    if (stage === undefined || held === undefined) return
    this.#held.delete(stage)
    if (held.isClipped) this.#enqueue({ stream: '[output clipped]\n' })
    for (const message of held.messages) this.#enqueue(message)
  }

  #wakeAll(): void {
    for (const wake of this.#wakeWriters.splice(0)) wake()
  }
}

const sizeOf = ({ stream = '', status = '' }: BuildMessage): number => stream.length + status.length + 100
