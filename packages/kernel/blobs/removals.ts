// Takes blobs away behind the caller's back, but not from under a reader of this process.
import type { Log } from '../telemetry/log.ts'
import type { BlobStore } from './blobs.ts'

const removalsAtOnce = 4

export class Removals {
  readonly #blobs: BlobStore
  readonly #log: Log
  readonly #readers = new Map<string, number>()
  /** To be removed when their last reader is gone. */
  readonly #deferred = new Set<string>()
  readonly #queue: string[] = []
  #lanes = 0
  #idle: (() => void)[] = []

  constructor(blobs: BlobStore, log: Log) {
    this.#blobs = blobs
    this.#log = log
  }

  /** Keeps the blobs until the function returned is called. */
  pin(keys: readonly string[]): () => void {
    for (const key of keys) this.#readers.set(key, (this.#readers.get(key) ?? 0) + 1)
    return () => {
      for (const key of keys) this.#unpin(key)
    }
  }

  isPinned(key: string): boolean {
    return this.#readers.has(key)
  }

  remove(keys: readonly string[]): void {
    for (const key of keys) {
      if (this.isPinned(key)) this.#deferred.add(key)
      else this.#queue.push(key)
    }
    while (this.#lanes < removalsAtOnce && this.#lanes < this.#queue.length) {
      this.#lanes++
      void this.#work()
    }
  }

  /** Resolves when nothing is left to remove, save what readers still hold. */
  async idle(): Promise<void> {
    if (this.#lanes > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #unpin(key: string): void {
    const left = (this.#readers.get(key) ?? 0) - 1
    if (left > 0) {
      this.#readers.set(key, left)
      return
    }
    this.#readers.delete(key)
    if (this.#deferred.delete(key)) this.remove([key])
  }

  async #work(): Promise<void> {
    for (let key = this.#queue.pop(); key !== undefined; key = this.#queue.pop()) {
      try {
        await this.#blobs.remove(key)
      } catch (error) {
        this.#log.warn({ err: error, key }, 'A released blob could not be removed; the sweep will try again')
      }
    }
    this.#lanes--
    if (this.#lanes > 0) return
    for (const resolve of this.#idle.splice(0)) resolve()
  }
}
