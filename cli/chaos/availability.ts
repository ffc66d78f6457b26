// Asks the group for a small write all the time, and so knows since when it could not have one.
import { setTimeout as pause } from 'node:timers/promises'
import { assistants } from './caller.ts'
import { apiKey, apiUrl } from './group.ts'

const everyMs = 50
const patienceMs = 5_000
/** So many in a row, and it is there again. */
const inRow = 3

export class Availability {
  readonly #working: Promise<void>
  #isStopped = false
  /** When the last that was granted was asked for, and how many in a row were. */
  #lastGranted = performance.now()
  #row = 0
  #rowBegan = 0
  #longestMs = 0
  #lastEnd = performance.now()

  constructor() {
    this.#working = this.#work()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#working
  }

  /** From now on. */
  reset(): void {
    this.#longestMs = 0
    this.#lastEnd = performance.now()
  }

  /** The longest time without a granted write since `reset`. */
  get longestOutageMs(): number {
    return Math.max(this.#longestMs, performance.now() - this.#lastEnd)
  }

  /** Resolves to how long it took from now until writes are granted again and again; undefined: not within `limitMs`. */
  async back(limitMs: number): Promise<number | undefined> {
    const from = performance.now()
    while (performance.now() - from < limitMs) {
      if (this.#row >= inRow && this.#lastGranted > from) return Math.max(0, this.#rowBegan - from)
      await pause(10)
    }
    return undefined
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) {
      const asked = performance.now()
      if (await isGranted()) {
        const now = performance.now()
        this.#longestMs = Math.max(this.#longestMs, now - this.#lastEnd)
        this.#lastEnd = now
        this.#lastGranted = asked
        if (this.#row++ === 0) this.#rowBegan = now
      } else this.#row = 0
      await pause(everyMs)
    }
  }
}

async function isGranted(): Promise<boolean> {
  const headers = { ...assistants, authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const answer = await fetch(`${apiUrl}/v1/threads`, { method: 'POST', headers, body: '{}', signal })
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    return false
  }
}
