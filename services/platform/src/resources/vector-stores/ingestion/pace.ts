// How much a model is given at once: about a second's work. Less would cost a fast one its speed; more would keep a slow
// one's results back, and lose them when the process ends.
const targetMs = 1_000
const minTokens = 512
const maxTokens = 65_536
const firstTokens = 4_000

export class Pace {
  #tokensPerMs = firstTokens / targetMs

  get tokens(): number {
    return Math.min(maxTokens, Math.max(minTokens, Math.round(this.#tokensPerMs * targetMs)))
  }

  note(tokens: number, ms: number): void {
    const measured = Math.min(maxTokens, tokens) / Math.max(1, ms)
    this.#tokensPerMs += (measured - this.#tokensPerMs) / 4
  }
}
