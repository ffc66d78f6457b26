// Things by name that others may ask for before they are there: clients open connections in any order.
export class AwaitedMap<T> {
  readonly #things = new Map<string, T>()
  readonly #waiting = new Map<string, Set<(thing: T) => void>>()

  get size(): number {
    return this.#things.size
  }

  get(name: string): T | undefined {
    return this.#things.get(name)
  }

  set(name: string, thing: T): void {
    this.#things.set(name, thing)
    const waiting = this.#waiting.get(name)
    this.#waiting.delete(name)
    for (const tell of waiting ?? []) tell(thing)
  }

  /** Only if it is still this one. */
  delete(name: string, thing: T): void {
    if (this.#things.get(name) === thing) this.#things.delete(name)
  }

  /** Undefined: it did not come in time. */
  async wait(name: string, timeoutMs: number, signal: AbortSignal): Promise<T | undefined> {
    const known = this.#things.get(name)
    if (known !== undefined) return known
    signal.throwIfAborted()
    const waiting = this.#waiting.get(name) ?? new Set()
    this.#waiting.set(name, waiting)
    const { promise, resolve } = Promise.withResolvers<T | undefined>()
    const stop = () => resolve(undefined)
    const timer = setTimeout(stop, timeoutMs)
    signal.addEventListener('abort', stop)
    waiting.add(resolve)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      waiting.delete(resolve)
      if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name)
      signal.throwIfAborted()
    }
  }
}
