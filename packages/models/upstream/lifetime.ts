// How long a call lives: until nobody waits for it, or until its total time is over. It does one thing at a time,
// so there is one thing to stop.
import { tookTooLong } from './problems.ts'

export class Lifetime {
  readonly #signal: AbortSignal
  readonly #timer: NodeJS.Timeout
  #stop: ((reason: Error) => void) | undefined
  #reason: Error | undefined

  constructor(signal: AbortSignal, totalMs: number) {
    this.#signal = signal
    this.#timer = setTimeout(() => this.#over(tookTooLong(totalMs)), totalMs)
    signal.addEventListener('abort', this.#leave, { once: true })
    if (signal.aborted) this.#leave()
  }

  /** Why it is over; undefined while it is not. */
  get reason(): Error | undefined {
    return this.#reason
  }

  /** `stop` is called when the call must end; it replaces the one before. */
  during(stop: (reason: Error) => void): void {
    this.#stop = stop
    if (this.#reason) stop(this.#reason)
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      this.during((reason) => {
        clearTimeout(timer)
        reject(reason)
      })
    })
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#signal.removeEventListener('abort', this.#leave)
    this.#stop = undefined
  }

  #leave = (): void => {
    const { reason } = this.#signal
    this.#over(reason instanceof Error ? reason : new Error('Aborted', { cause: reason }))
  }

  #over(reason: Error): void {
    this.#reason ??= reason
    this.#stop?.(this.#reason)
  }
}
