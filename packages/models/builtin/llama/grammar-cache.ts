// Compiled grammars by their text: tools and schemas that are asked for again are not compiled again.
import type { Addon, AddonGrammar, AddonGrammarState, AddonModel } from './addon.ts'

const maxKept = 32

export class GrammarCache {
  readonly #addon: Addon
  readonly #model: AddonModel
  /** In the order of their last use. */
  readonly #kept = new Map<string, AddonGrammar>()

  constructor(addon: Addon, model: AddonModel) {
    this.#addon = addon
    this.#model = model
  }

  /** At its beginning; each answer needs its own. */
  stateOf(gbnf: string): AddonGrammarState {
    return new this.#addon.AddonGrammarEvaluationState(this.#model, this.#compiled(gbnf))
  }

  #compiled(gbnf: string): AddonGrammar {
    const known = this.#kept.get(gbnf)
    const grammar = known ?? new this.#addon.AddonGrammar(gbnf, { addonExports: this.#addon, rootRuleName: 'root' })
    this.#kept.delete(gbnf)
    this.#kept.set(gbnf, grammar)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest)
    return grammar
  }
}
