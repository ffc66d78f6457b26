// Gives tasks to a few threads in the order they came. Threads start when they are needed; all but one end when idle.
import { availableParallelism } from 'node:os'
import { transformLimits } from './limits.ts'
import type { SandboxOutcome, SandboxTask } from './protocol.ts'
import { SandboxThread } from './sandbox-thread.ts'

const idleMs = 60_000
const defaultThreads = Math.min(4, Math.max(1, availableParallelism() - 1))

export class SandboxBusy extends Error {
  override name = 'SandboxBusy'
}

interface Waiting {
  take(thread: SandboxThread): void
  refuse(error: Error): void
}

export class SandboxPool {
  readonly #most: number
  readonly #all = new Set<SandboxThread>()
  readonly #free: SandboxThread[] = []
  readonly #waiting: Waiting[] = []
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ threads = defaultThreads } = {}) {
    this.#most = threads
  }

  async run(task: SandboxTask): Promise<SandboxOutcome> {
    const thread = await this.#thread()
    try {
      return await thread.run(task)
    } finally {
      this.#release(thread)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    for (const { refuse } of this.#waiting.splice(0)) refuse(new SandboxBusy('The gateway is being stopped.'))
    await Promise.all([...this.#all].map((thread) => thread.end()))
    this.#all.clear()
  }

  #thread(): Promise<SandboxThread> {
    if (this.#isClosed) return Promise.reject(new SandboxBusy('The gateway is being stopped.'))
    clearTimeout(this.#idle)
    const free = this.#free.pop()
    if (free !== undefined) return Promise.resolve(free)
    if (this.#all.size < this.#most) return Promise.resolve(this.#start())
    if (this.#waiting.length >= transformLimits.waiting) {
      return Promise.reject(new SandboxBusy('Too many transforms are waiting for their turn.'))
    }
    const { promise, resolve, reject } = Promise.withResolvers<SandboxThread>()
    this.#waiting.push({ take: resolve, refuse: reject })
    return promise
  }

  #start(): SandboxThread {
    const thread = new SandboxThread()
    this.#all.add(thread)
    return thread
  }

  #release(thread: SandboxThread): void {
    if (thread.isEnded) this.#all.delete(thread)
    const next = this.#isClosed ? undefined : this.#waiting.shift()
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
