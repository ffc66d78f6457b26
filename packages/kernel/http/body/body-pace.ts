// Whether a body keeps coming: it may pause for a while, but what comes byte by byte ends. Every byte earns time, up to
// the whole pause again, so that a slow line stays welcome however long its upload takes.

/** A tenth of the slowest mobile line. */
const minBytesPerSecond = 500

interface Pace {
  idleMs: number
  /** True while it is us who do not read. */
  isHeldUp?(): boolean
  onTooSlow(): void
}

export class BodyPace {
  readonly #pace: Pace
  #timer: NodeJS.Timeout
  #deadline: number

  constructor(pace: Pace) {
    this.#pace = pace
    this.#deadline = performance.now() + pace.idleMs
    this.#timer = setTimeout(this.#check, pace.idleMs)
  }

  took(bytes: number): void {
    const earned = this.#deadline + (bytes / minBytesPerSecond) * 1000
    this.#deadline = Math.min(earned, performance.now() + this.#pace.idleMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  readonly #check = (): void => {
    const now = performance.now()
    if (this.#pace.isHeldUp?.()) this.#deadline = now + this.#pace.idleMs
    if (now >= this.#deadline) this.#pace.onTooSlow()
    else this.#timer = setTimeout(this.#check, this.#deadline - now)
  }
}
