// Tells everybody who follows a container's log that there may be more: one watch of the file system for all of them.
import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'

/** Where the system gives no more watches. */
const pollMs = 250

export class LogWatch {
  readonly #waiting = new Set<() => void>()
  readonly #watcher: FSWatcher | undefined
  #poll: NodeJS.Timeout | undefined
  #changes = 0
  users = 0

  constructor(path: string) {
    this.#watcher = this.#open(dirname(path))
    if (this.#watcher === undefined) this.#startPolling()
  }

  /** A number that grows with every change. */
  get changes(): number {
    return this.#changes
  }

  wake(): void {
    this.#changes += 1
    for (const proceed of [...this.#waiting]) proceed()
  }

  /** Resolves when something changed since `seen`, when the signal fires, or when the time is over. */
  changedSince(seen: number, signal: AbortSignal, timeoutMs: number | undefined): Promise<void> {
    if (this.#changes !== seen || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => proceed(), timeoutMs)
      const proceed = () => {
        clearTimeout(timer)
        this.#waiting.delete(proceed)
        signal.removeEventListener('abort', proceed)
        resolve()
      }
      this.#waiting.add(proceed)
      signal.addEventListener('abort', proceed)
    })
  }

  close(): void {
    this.#watcher?.close()
    clearInterval(this.#poll)
  }

  #open(folder: string): FSWatcher | undefined {
    try {
      return watch(folder, { persistent: false }, () => this.wake()).on('error', () => this.#startPolling())
    } catch {
      return undefined
    }
  }

  #startPolling(): void {
    this.#poll ??= setInterval(() => this.wake(), pollMs).unref()
  }
}

/** One watch for each log that somebody follows. */
export class LogWatches {
  readonly #open = new Map<string, LogWatch>()

  use(path: string): LogWatch {
    const known = this.#open.get(path)
    const watch = known ?? new LogWatch(path)
    watch.users += 1
    if (known === undefined) this.#open.set(path, watch)
    return watch
  }

  release(path: string, watch: LogWatch): void {
    watch.users -= 1
    if (watch.users > 0) return
    watch.close()
    this.#open.delete(path)
  }

  wake(path: string): void {
    this.#open.get(path)?.wake()
  }

  wakeAll(): void {
    for (const watch of this.#open.values()) watch.wake()
  }

  /** How many logs are followed. */
  get size(): number {
    return this.#open.size
  }
}
