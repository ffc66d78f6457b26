// How many tokens of prompts a step computes: as many as take about `sliceMs`, whatever machine and model it is.
// Whoever comes meanwhile waits no longer than that for the next step.
const sliceMs = 40
/** Below, a token costs much more. Four tokens are computed together: slices of other lengths would be rounded otherwise. */
export const leastSlice = 8

export class SlicePace {
  readonly #maxTokens: number
  #msPerToken: number | undefined

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens
  }

  get tokens(): number {
    if (this.#msPerToken === undefined) return leastSlice
    const fitting = Math.floor(sliceMs / this.#msPerToken / leastSlice) * leastSlice
    return Math.min(this.#maxTokens, Math.max(leastSlice, fitting))
  }

  /**
   * A step of so many tokens took so long. Slower than thought is believed at once: further behind in a prompt, or
   * on a machine that others use too, the next slice must be short already.
   */
  learn(tokens: number, ms: number): void {
    if (tokens < leastSlice) return
    const measured = ms / tokens
    const known = this.#msPerToken ?? measured
    this.#msPerToken = Math.max(measured, known + (measured - known) / 4)
  }
}

/** How much of `unread` tokens is read with so much room: no short rest is left for a step of its own. */
export function sliceOf(unread: number, room: number): number {
  if (unread < room + leastSlice) return unread
  return room - (room % leastSlice)
}
