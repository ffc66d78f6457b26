// Lets text through up to the first stop sequence. What might be the beginning of one is held back until it is clear.
export interface Entry<T> {
  text: string
  /** Travels with the text: the token it came from. */
  of: T
}

export class StopText<T> {
  readonly #stops: readonly string[]
  #held: Entry<T>[] = []
  #stopped = false

  constructor(stops: readonly string[]) {
    this.#stops = stops
  }

  get stopped(): boolean {
    return this.#stopped
  }

  /** What has become certain. */
  push(entry: Entry<T>): Entry<T>[] {
    if (this.#stopped) return []
    if (this.#stops.length === 0) return [entry]
    this.#held.push(entry)
    const text = this.#held.map((held) => held.text).join('')
    const at = this.#firstStop(text)
    if (at !== undefined) {
      this.#stopped = true
      return this.#release(at)
    }
    return this.#release(text.length - this.#possibleStart(text))
  }

  /** The text is over: what was held back was no stop sequence. */
  end(): Entry<T>[] {
    return this.#stopped ? [] : this.#held.splice(0)
  }

  #firstStop(text: string): number | undefined {
    const found = this.#stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
    return found.length === 0 ? undefined : Math.min(...found)
  }

  /** Length of the longest end of the text that begins a stop sequence. */
  #possibleStart(text: string): number {
    let longest = 0
    for (const stop of this.#stops) {
      for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
        if (text.endsWith(stop.slice(0, length))) longest = length
      }
    }
    return longest
  }

  #release(length: number): Entry<T>[] {
    const free: Entry<T>[] = []
    let left = length
    while (this.#held.length > 0) {
      const first = this.#held[0] as Entry<T>
      if (first.text.length > left) {
        // A token that is cut in two goes with its first part when the rest will never be shown.
        if (this.#stopped && left > 0) free.push({ text: first.text.slice(0, left), of: first.of })
        break
      }
      left -= first.text.length
      free.push(first)
      this.#held.shift()
    }
    if (this.#stopped) this.#held = []
    return free
  }
}
