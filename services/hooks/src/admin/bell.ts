// Wakes up whoever waits for news; what came while nobody waited is not lost.

export class Bell {
  readonly #signal: AbortSignal
  #hasRung = false
  #wake: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  readonly ring = (): void => {
    this.#hasRung = true
    this.#wake?.()
  }

  /** False: nothing came in this time. Returns at once when the signal is aborted. */
  async wait(ms: number): Promise<boolean> {
    if (!this.#hasRung && !this.#signal.aborted) await this.#next(ms)
    const hasRung = this.#hasRung
    this.#hasRung = false
    return hasRung
  }

  async #next(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#wake = resolve
    this.#signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    clearTimeout(timer)
    this.#wake = undefined
  }
}
