// Drafts the next tokens from a text the answer will probably repeat. The model checks a draft in one step, which
// costs little more than one token; what it would not have said is thrown away.
const firstDraft = 4
const longestDraft = 32
/** So many equal tokens in a row find the place again after a difference. */
const anchorTokens = 3

export class Prediction {
  readonly #tokens: readonly number[]
  #next: number | undefined = 0
  #length = firstDraft
  readonly #recent: number[] = []
  /** Tokens of the prediction that the model chose, in their place. */
  accepted = 0

  constructor(tokens: readonly number[]) {
    this.#tokens = tokens
  }

  draft(most: number): number[] {
    if (this.#next === undefined) return []
    return this.#tokens.slice(this.#next, this.#next + Math.min(this.#length, most))
  }

  /** How much of the last draft held. */
  judge(drafted: number, held: number): void {
    if (drafted === 0) return
    this.#length = held === drafted ? Math.min(longestDraft, this.#length * 2) : Math.max(firstDraft, held)
  }

  /** A token the model really chose. */
  follow(token: number): void {
    this.#recent.push(token)
    if (this.#recent.length > anchorTokens) this.#recent.shift()
    if (this.#next !== undefined && this.#tokens[this.#next] === token) {
      this.#next++
      this.accepted++
      return
    }
    this.#next = this.#find(this.#next ?? 0)
  }

  #find(from: number): number | undefined {
    const anchor = this.#recent
    if (anchor.length < anchorTokens) return undefined
    const matches = (at: number): boolean => anchor.every((token, index) => this.#tokens[at + index] === token)
    const last = this.#tokens.length - anchor.length
    // Ahead first, as texts go forward; then anywhere.
    for (let at = Math.max(0, from - anchor.length); at <= last; at++) if (matches(at)) return at + anchor.length
    for (let at = 0; at <= last; at++) if (matches(at)) return at + anchor.length
    return undefined
  }
}
