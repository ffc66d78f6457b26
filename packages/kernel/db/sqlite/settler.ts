// Hands out the results of a group a few at a time. Callers told all at once would all prepare their next writes
// at once, and the writer thread would stand idle until the last of them is ready.
import { type Call, settleCall } from './calls.ts'
import type { Result } from './protocol.ts'

const waveCalls = 16

export class Settler {
  readonly #onIdle: () => void
  #calls: Call[] = []
  #results: Result[] = []
  #next = 0

  constructor(onIdle: () => void) {
    this.#onIdle = onIdle
  }

  /** Whether callers still wait for a result that is known already. */
  get busy(): boolean {
    return this.#next < this.#calls.length
  }

  /** `calls` and `results` have the same order and length. */
  settle(calls: readonly Call[], results: readonly Result[]): void {
    const wasBusy = this.busy
    this.#calls = this.#calls.slice(this.#next).concat(calls)
    this.#results = this.#results.slice(this.#next).concat(results)
    this.#next = 0
    if (!wasBusy && calls.length > 0) this.#wave()
  }

  #wave(): void {
    const end = Math.min(this.#calls.length, this.#next + waveCalls)
    let isFull = false
    for (; this.#next < end && !isFull; this.#next++) {
      const call = this.#calls[this.#next] as Call
      settleCall(call, this.#results[this.#next] as Result)
      // As good as a wave: it is several callers'.
      isFull = call.isBatch
    }
    // An immediate lets the callers go on before the next wave.
    setImmediate(() => (this.busy ? this.#wave() : this.#onIdle()))
  }
}
