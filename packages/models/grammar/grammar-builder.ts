// Collects the rules of one grammar, keeps it within its limits, and leaves out what can never match.
import { withCommonBeginnings } from './common-beginnings.ts'
import { choice, type Expression, grammarText, isNever, many, never, nothing, rule, sequence } from './gbnf.ts'

const maxRules = 20_000
const maxGrammarBytes = 256 * 1024

/** The grammar would be too large for the sampler. Whoever builds it says which parameter asked for that. */
export class GrammarTooLarge extends Error {}

export class GrammarBuilder {
  readonly #rules = new Map<string, Expression>()
  readonly #shared = new Map<string, Expression>()
  readonly #finite = new Set<string>()
  readonly #undecided = new Set<string>()
  #count = 0

  /** A new rule. */
  add(hint: string, expression: Expression): Expression {
    const name = this.reserve(hint)
    this.define(name, expression)
    return rule(name)
  }

  /** A name for a rule to be defined later. */
  reserve(hint: string): string {
    this.#count += 1
    if (this.#count > maxRules) throw new GrammarTooLarge(`The grammar would have more than ${maxRules} rules.`)
    return `${hint}-${this.#count}`
  }

  define(name: string, expression: Expression): void {
    this.#rules.set(name, expression)
    this.#undecided.add(name)
  }

  /**
   * The rule kept under a key; made when it is first asked for. It may ask for itself: it gets its own name, and the
   * rule is recursive.
   */
  shared(key: string, hint: string, make: () => Expression): Expression {
    const known = this.#shared.get(key)
    if (known) return known
    const name = this.reserve(hint)
    this.#shared.set(key, rule(name))
    try {
      this.define(name, make())
    } catch (error) {
      this.#shared.delete(key)
      throw error
    }
    return rule(name)
  }

  /** The grammar whose texts are those of `root`; undefined when there is no such text. */
  text(root: Expression): string | undefined {
    const finite = this.#finiteRules()
    const start = prune(root, finite)
    if (isNever(start)) return undefined
    const definition = (name: string): Expression => prune(this.#rules.get(name) ?? never, finite)
    const kept = new Map([['root', withCommonBeginnings(start, definition)]])
    for (const [, expression] of kept) {
      for (const name of ruleNames(expression)) {
        if (!kept.has(name)) kept.set(name, withCommonBeginnings(definition(name), definition))
      }
    }
    const result = grammarText(kept)
    if (Buffer.byteLength(result) > maxGrammarBytes) {
      throw new GrammarTooLarge(`The grammar would be larger than ${maxGrammarBytes / 1024} KB.`)
    }
    return result
  }

  /** Whether no text at all matches. */
  matchesNothing(expression: Expression): boolean {
    return isNever(prune(expression, this.#finiteRules()))
  }

  /** The rules that some finite text matches: what is left never ends, such as an object that must hold itself. */
  #finiteRules(): Set<string> {
    for (let before = -1; before !== this.#finite.size; ) {
      before = this.#finite.size
      for (const name of this.#undecided) {
        if (!ends(this.#rules.get(name) ?? never, this.#finite)) continue
        this.#finite.add(name)
        this.#undecided.delete(name)
      }
    }
    return this.#finite
  }
}

function ends(expression: Expression, finite: ReadonlySet<string>): boolean {
  if (expression.kind === 'rule') return finite.has(expression.name)
  if (expression.kind === 'sequence') return expression.parts.every((part) => ends(part, finite))
  if (expression.kind === 'choice') return expression.parts.some((part) => ends(part, finite))
  if (expression.kind === 'repeat') return expression.min === 0 || ends(expression.part, finite)
  return true
}

function prune(expression: Expression, finite: ReadonlySet<string>): Expression {
  if (expression.kind === 'rule') return finite.has(expression.name) ? expression : never
  if (expression.kind === 'sequence') return sequence(...expression.parts.map((part) => prune(part, finite)))
  if (expression.kind === 'choice') return choice(...expression.parts.map((part) => prune(part, finite)))
  if (expression.kind === 'many') return many(prune(expression.part, finite))
  if (expression.kind === 'repeat') {
    const part = prune(expression.part, finite)
    if (isNever(part)) return expression.min === 0 ? nothing : never
    return { ...expression, part }
  }
  return expression
}

function ruleNames(expression: Expression): string[] {
  if (expression.kind === 'rule') return [expression.name]
  if (expression.kind === 'sequence' || expression.kind === 'choice') return expression.parts.flatMap(ruleNames)
  return expression.kind === 'many' || expression.kind === 'repeat' ? ruleNames(expression.part) : []
}
