// What is known of one process that should answer: when it did last, and whether it computes instead.

/** Looks within the time of silence. Each is a turn of the loop: an answer that is there has been read by the next. */
export const looks = 5
/** What computes has so many times more time: a long command is no reason to end it. */
const busyFactor = 12

export interface Beating {
  /** Resolves when it has answered. */
  ask(): Promise<void>
  /** How long it has computed so far; undefined when it has ended. */
  cpuTicks(): Promise<number | undefined>
  close(): void
}

export class Beat {
  readonly #process: Beating
  #isAsked = false
  #heardAt = performance.now()
  /** Since it was heard last. */
  #looks = 0
  #cpuTicks = -1
  #workedAt = 0
  isTold = false
  isEnding = false

  constructor(process: Beating) {
    this.#process = process
  }

  /** It has answered the last question. */
  get isHeard(): boolean {
    return this.#looks <= 1
  }

  isSilent(silenceMs: number): boolean {
    const now = performance.now()
    const silentMs = now - this.#heardAt
    if (this.#looks < looks || silentMs < silenceMs) return false
    return now - this.#workedAt > silenceMs || silentMs > busyFactor * silenceMs
  }

  async look(): Promise<void> {
    if (!this.#isAsked) void this.#ask()
    this.#looks++
    if (this.isHeard) return
    const ticks = await this.#process.cpuTicks()
    if (ticks === undefined)
      this.#heard() // it has ended: that is noticed elsewhere
    else if (ticks !== this.#cpuTicks) {
      if (this.#cpuTicks >= 0) this.#workedAt = performance.now()
      this.#cpuTicks = ticks
    }
  }

  close(): void {
    this.#process.close()
  }

  async #ask(): Promise<void> {
    this.#isAsked = true
    await this.#process.ask().then(
      () => this.#heard(),
      () => undefined,
    )
    this.#isAsked = false
  }

  #heard(): void {
    this.#heardAt = performance.now()
    this.#looks = 0
    this.#cpuTicks = -1
    this.isTold = false
  }
}
