// Events on their way to one reader: what works goes on only while the reader keeps up.
import type { ResponseEvent } from './event.ts'

const maxWaiting = 256

export class EventQueue {
  #waiting: ResponseEvent[] = []
  #isEnded = false
  #failure: unknown
  #wake: (() => void) | undefined
  #drained: PromiseWithResolvers<void> | undefined

  push(event: ResponseEvent): void {
    this.#waiting.push(event)
    this.#wake?.()
  }

  /** Undefined while there is room. */
  pace(): Promise<void> | undefined {
    if (this.#waiting.length < maxWaiting || this.#isEnded) return undefined
    this.#drained ??= Promise.withResolvers()
    return this.#drained.promise
  }

  end(failure?: unknown): void {
    this.#isEnded = true
    this.#failure = failure
    this.#wake?.()
  }

  async *events(): AsyncGenerator<ResponseEvent> {
    try {
      for (;;) {
        const events = this.#waiting
        this.#waiting = []
        this.#drained?.resolve()
        this.#drained = undefined
        yield* events
        if (this.#waiting.length > 0) continue
        if (this.#isEnded) {
          if (this.#failure !== undefined) throw this.#failure
          return
        }
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#wake = resolve
        await promise
      }
    } finally {
      this.#isEnded = true
      this.#drained?.resolve()
    }
  }
}
