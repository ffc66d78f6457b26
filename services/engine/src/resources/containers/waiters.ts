// Those who wait for a container to end or to be gone.
export interface WaitResult {
  exitCode: number
  /** Why the container could not be removed, or did not run. */
  error?: string
}

export type Moment = 'exit' | 'removal'

export class Waiters {
  readonly #waiting: Record<Moment, Set<(result: WaitResult) => void>> = { exit: new Set(), removal: new Set() }

  /** Resolves at the next such moment; rejects when the caller gives up. */
  next(moment: Moment, signal?: AbortSignal): Promise<WaitResult> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const waiting = this.#waiting[moment]
      const giveUp = () => {
        waiting.delete(settle)
        reject(signal?.reason)
      }
      const settle = (result: WaitResult) => {
        signal?.removeEventListener('abort', giveUp)
        resolve(result)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      waiting.add(settle)
    })
  }

  notify(moment: Moment, result: WaitResult): void {
    const waiting = [...this.#waiting[moment]]
    this.#waiting[moment].clear()
    for (const settle of waiting) settle(result)
  }
}
