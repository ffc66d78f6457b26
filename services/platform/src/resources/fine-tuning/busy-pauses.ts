// When a training must stand still: while a model of this machine answers somebody, and a moment longer, so that one
// who asks again and again is not held up each time.
const lookEveryMs = 20
const calmMs = 300
/** A server that is never idle lets trainings go on too, for a moment now and then. */
const longestPauseMs = 60_000
const shortestWorkMs = 1_000

const never = Number.NEGATIVE_INFINITY

export class BusyPauses {
  #isPaused = false
  #changedAt = never
  #busyAt = never
  #owedUntil = never

  /** Whether to stand still from now on; undefined while nothing changes. */
  look(isBusy: boolean, now: number): boolean | undefined {
    if (isBusy) this.#busyAt = now
    if (!this.#isPaused) return isBusy && now > this.#owedUntil ? this.#change(true, now) : undefined
    const isOwed = now - this.#changedAt > longestPauseMs
    if (isOwed) this.#owedUntil = now + shortestWorkMs
    return isOwed || now - this.#busyAt > calmMs ? this.#change(false, now) : undefined
  }

  #change(isPaused: boolean, now: number): boolean {
    this.#isPaused = isPaused
    this.#changedAt = now
    return isPaused
  }
}

/** The result ends it. */
export function pauseWhileBusy(isBusy: () => boolean, tell: (isPaused: boolean) => void): () => void {
  const pauses = new BusyPauses()
  const timer = setInterval(() => {
    const isPaused = pauses.look(isBusy(), performance.now())
    if (isPaused !== undefined) tell(isPaused)
  }, lookEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
