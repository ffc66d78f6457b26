// Small models sometimes go in circles: the same few words again and again until the context is full, minutes in which
// others wait for their turn. Nothing that follows is worth them.

/** The longest circle that is noticed, in tokens. */
const maxPeriod = 64
/** So much has to repeat what stands before it, and a circle at least three times: tables and lists do less. */
const minRepeated = 48

export class CircleGuard {
  /** By period: how many of the last tokens are the same as those a period before. */
  readonly #repeated = new Uint32Array(maxPeriod + 1)

  /** Whether the newest of the tokens closes a circle. Asked once for each. */
  closes(tokens: readonly number[]): boolean {
    const at = tokens.length - 1
    let closed = false
    for (let period = 1; period <= Math.min(maxPeriod, at); period++) {
      const repeated = tokens[at] === tokens[at - period] ? (this.#repeated[period] as number) + 1 : 0
      this.#repeated[period] = repeated
      if (repeated >= Math.max(minRepeated, 3 * period)) closed = true
    }
    return closed
  }
}
