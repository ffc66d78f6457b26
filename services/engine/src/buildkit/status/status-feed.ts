// What is told of a build while it goes on, to whoever asks for it; never faster than it is read.
import type { StatusResponse } from '../protocol/control.ts'

export type StatusUpdate = Partial<StatusResponse>

const maxWaitingBytes = 1024 * 1024
const updateBytes = 200

export class StatusFeed {
  #queue: StatusUpdate[] = []
  #bytes = 0
  #hasReader = false
  #isOver = false
  #wakeReader: () => void = () => {}
  #wakeWriters: (() => void)[] = []
  readonly #read = Promise.withResolvers<void>()

  /** Resolves when there is room for more. Without a reader nobody waits: output is left out then, from the oldest on. */
  async tell(update: StatusUpdate): Promise<void> {
    this.#queue.push(update)
    this.#bytes += sizeOf(update)
    this.#wakeReader()
    if (!this.#hasReader) this.#forgetOutput()
    while (this.#hasReader && !this.#isOver && this.#bytes > maxWaitingBytes) {
      await new Promise<void>((resolve) => this.#wakeWriters.push(resolve))
    }
  }

  end(): void {
    this.#isOver = true
    if (!this.#hasReader) this.#read.resolve()
    this.#wakeReader()
    this.#wakeAll()
  }

  /** Whoever reads has heard everything, or there is nobody. */
  get isRead(): Promise<void> {
    return this.#read.promise
  }

  /** False: somebody is listening already. */
  get isFree(): boolean {
    return !this.#hasReader
  }

  async *read(signal: AbortSignal): AsyncGenerator<StatusUpdate> {
    this.#hasReader = true
    const stop = () => this.#wakeReader()
    signal.addEventListener('abort', stop)
    try {
      while (!signal.aborted) {
        if (this.#queue.length > 0) yield this.#takeAll()
        else if (this.#isOver) return
        else
          await new Promise<void>((resolve) => {
            this.#wakeReader = resolve
          })
      }
    } finally {
      signal.removeEventListener('abort', stop)
      this.#hasReader = false
      this.#read.resolve()
      this.#wakeAll()
    }
  }

  /** Everything that waits, as one message. */
  #takeAll(): StatusUpdate {
    const taken = this.#queue
    this.#queue = []
    this.#bytes = 0
    this.#wakeAll()
    return {
      vertexes: taken.flatMap(({ vertexes = [] }) => vertexes),
      statuses: taken.flatMap(({ statuses = [] }) => statuses),
      logs: taken.flatMap(({ logs = [] }) => logs),
      warnings: taken.flatMap(({ warnings = [] }) => warnings),
    }
  }

  #forgetOutput(): void {
    if (this.#bytes <= maxWaitingBytes) return
    let over = this.#bytes - maxWaitingBytes / 2
    this.#queue = this.#queue.filter((update) => {
      const isKept = over <= 0 || update.logs === undefined
      if (!isKept) over -= sizeOf(update)
      return isKept
    })
    this.#bytes = this.#queue.reduce((sum, update) => sum + sizeOf(update), 0)
  }

  #wakeAll(): void {
    for (const wake of this.#wakeWriters.splice(0)) wake()
  }
}

const sizeOf = ({ logs = [] }: StatusUpdate): number =>
  logs.reduce((sum, log) => sum + (log.message?.length ?? 0), updateBytes)
