// Gives tasks to a few threads, in turns by module. Threads start when they are needed; all but one end when idle.
import { availableParallelism } from 'node:os'
import { TurnLines } from '@atoll/kernel/turns/turn-lines'
import { transformLimits } from './limits.ts'
import type { SandboxOutcome, SandboxTask } from './protocol.ts'
import { SandboxThread } from './sandbox-thread.ts'

const idleMs = 60_000
const defaultThreads = Math.min(4, Math.max(1, availableParallelism() - 1))

export class SandboxBusy extends Error {
  override name = 'SandboxBusy'
}

interface Waiting {
  turn: string
  take(thread: SandboxThread): void
  refuse(error: Error): void
}

export class SandboxPool {
  readonly #most: number
  readonly #all = new Set<SandboxThread>()
  readonly #free: SandboxThread[] = []
  readonly #waiting = new TurnLines<Waiting>()
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ threads = defaultThreads } = {}) {
    this.#most = threads
  }

  /** `turn`: those of the same wait for one another; others come in between. */
  async run(task: SandboxTask, turn = ''): Promise<SandboxOutcome> {
    const thread = await this.#thread(turn)
    try {
      return await thread.run(task)
    } finally {
      this.#release(thread)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    for (let next = this.#waiting.next(); next !== undefined; next = this.#waiting.next()) {
      next.refuse(new SandboxBusy('The gateway is being stopped.'))
    }
    await Promise.all([...this.#all].map((thread) => thread.end()))
    this.#all.clear()
  }

  #thread(turn: string): Promise<SandboxThread> {
    if (this.#isClosed) return Promise.reject(new SandboxBusy('The gateway is being stopped.'))
    clearTimeout(this.#idle)
    const free = this.#free.pop()
    if (free !== undefined) return Promise.resolve(free)
    if (this.#all.size < this.#most) return Promise.resolve(this.#start())
    const { promise, resolve, reject } = Promise.withResolvers<SandboxThread>()
    this.#wait({ turn, take: resolve, refuse: reject })
    return promise
  }

  /** Where too many wait already, the newest of the longest line goes: perhaps this one. */
  #wait(waiting: Waiting): void {
    let refused: Waiting | undefined
    if (this.#waiting.size >= transformLimits.waiting) {
      refused = this.#waiting.lastOfLongest(this.#waiting.lengthOf(waiting.turn) + 1) ?? waiting
      this.#waiting.remove(refused.turn, refused)
    }
    if (refused !== waiting) this.#waiting.add(waiting.turn, waiting)
    refused?.refuse(new SandboxBusy('Too many transforms are waiting for their turn.'))
  }

  #start(): SandboxThread {
    const thread = new SandboxThread()
    this.#all.add(thread)
    return thread
  }

  #release(thread: SandboxThread): void {
    if (thread.isEnded) this.#all.delete(thread)
    const next = this.#isClosed ? undefined : this.#waiting.next()
    if (next !== undefined) next.take(thread.isEnded ? this.#start() : thread)
    else if (!thread.isEnded) this.#free.push(thread)
    if (this.#free.length === this.#all.size && this.#all.size > 0) this.#endWhenIdle()
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      for (const thread of this.#free.splice(1)) {
        this.#all.delete(thread)
        void thread.end()
      }
    }, idleMs).unref()
  }
}
