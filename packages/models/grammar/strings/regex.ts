// Sets of texts as regular expressions that can also be intersected and negated. They are followed letter by letter by
// their derivatives (Brzozowski 1964): the derivative by a letter is what may come after that letter.
import type { CharRange } from '../gbnf.ts'
import { GrammarTooLarge } from '../grammar-builder.ts'

export type Regex = { readonly id: number; readonly empty: boolean } & (
  | { readonly op: 'none' | 'end' }
  | { readonly op: 'chars'; readonly ranges: readonly CharRange[] }
  | { readonly op: 'then'; readonly left: Regex; readonly right: Regex }
  | { readonly op: 'or' | 'and'; readonly parts: readonly Regex[] }
  | { readonly op: 'not'; readonly part: Regex }
  | { readonly op: 'repeat'; readonly part: Regex; readonly min: number; readonly max: number }
)

type Shape = Regex extends infer R ? (R extends Regex ? Omit<R, 'id' | 'empty'> : never) : never

export const lastCodePoint = 0x10ffff

/** Of all expressions of a factory together: a schema can hold very many large patterns. */
const maxStatesInAll = 20_000

/** Makes expressions. Equal ones are one object, so that equal derivatives are found to be equal. */
export class RegexFactory {
  readonly #known = new Map<string, Regex>()
  #statesLeft = maxStatesInAll
  readonly #derivatives = new Map<Regex, Map<number, Regex>>()
  readonly none = this.#make('none', { op: 'none' }, false)
  readonly end = this.#make('end', { op: 'end' }, true)
  readonly anyChar = this.chars([[0, lastCodePoint]])
  readonly anyText = this.repeat(this.anyChar, 0, Number.POSITIVE_INFINITY)

  chars(ranges: readonly CharRange[]): Regex {
    if (ranges.length === 0) return this.none
    return this.#make(`chars ${ranges.join(' ')}`, { op: 'chars', ranges }, false)
  }

  literal(text: string): Regex {
    const codes = [...text].map((char) => char.codePointAt(0) ?? 0)
    return codes.reduceRight((rest: Regex, code) => this.sequence(this.chars([[code, code]]), rest), this.end)
  }

  sequence(left: Regex, right: Regex): Regex {
    if (left.op === 'none' || right.op === 'none') return this.none
    if (left.op === 'end') return right
    if (right.op === 'end') return left
    if (left.op === 'then') return this.sequence(left.left, this.sequence(left.right, right))
    return this.#make(`then ${left.id} ${right.id}`, { op: 'then', left, right }, left.empty && right.empty)
  }

  or(all: readonly Regex[]): Regex {
    const parts = distinct(all, 'or').filter(({ op }) => op !== 'none')
    if (parts.includes(this.anyText)) return this.anyText
    const [first] = parts
    if (!first) return this.none
    if (parts.length === 1) return first
    const isEmpty = parts.some(({ empty }) => empty)
    return this.#make(`or ${parts.map(({ id }) => id)}`, { op: 'or', parts }, isEmpty)
  }

  and(all: readonly Regex[]): Regex {
    const parts = distinct(all, 'and').filter((part) => part !== this.anyText)
    const [first] = parts
    if (!first) return this.anyText
    if (parts.length === 1) return first
    if (parts.includes(this.none)) return this.none
    const isEmpty = parts.every(({ empty }) => empty)
    return this.#make(`and ${parts.map(({ id }) => id)}`, { op: 'and', parts }, isEmpty)
  }

  not(part: Regex): Regex {
    if (part.op === 'none') return this.anyText
    return part.op === 'not' ? part.part : this.#make(`not ${part.id}`, { op: 'not', part }, !part.empty)
  }

  /** `max` may be infinite. */
  repeat(part: Regex, min: number, max: number): Regex {
    if (min > max) return this.none
    if (max === 0 || part.op === 'end') return this.end
    if (part.op === 'none') return min === 0 ? this.end : this.none
    if (min === 1 && max === 1) return part
    const least = part.empty ? 0 : min
    const shape: Shape = { op: 'repeat', part, min: least, max }
    return this.#make(`repeat ${part.id} ${least} ${max}`, shape, least === 0)
  }

  /** Counts a state that is looked into. */
  spendState(): void {
    if (this.#statesLeft === 0) throw new GrammarTooLarge('The patterns have too many states in all.')
    this.#statesLeft -= 1
  }

  /** What may follow when a text of `regex` begins with this letter. */
  after(regex: Regex, code: number): Regex {
    const known = this.#derivatives.get(regex) ?? new Map<number, Regex>()
    const ready = known.get(code)
    if (ready) return ready
    const made = this.#derive(regex, code)
    this.#derivatives.set(regex, known.set(code, made))
    return made
  }

  #derive(regex: Regex, code: number): Regex {
    switch (regex.op) {
      case 'none':
      case 'end':
        return this.none
      case 'chars':
        return regex.ranges.some(([from, to]) => from <= code && code <= to) ? this.end : this.none
      case 'then': {
        const inside = this.sequence(this.after(regex.left, code), regex.right)
        return regex.left.empty ? this.or([inside, this.after(regex.right, code)]) : inside
      }
      case 'or':
        return this.or(regex.parts.map((part) => this.after(part, code)))
      case 'and':
        return this.and(regex.parts.map((part) => this.after(part, code)))
      case 'not':
        return this.not(this.after(regex.part, code))
      case 'repeat': {
        const rest = this.repeat(regex.part, Math.max(regex.min - 1, 0), regex.max - 1)
        return this.sequence(this.after(regex.part, code), rest)
      }
    }
  }

  #make(key: string, shape: Shape, empty: boolean): Regex {
    const known = this.#known.get(key)
    if (known) return known
    const made = { ...shape, id: this.#known.size, empty } as Regex
    this.#known.set(key, made)
    return made
  }
}

function distinct(all: readonly Regex[], op: 'or' | 'and'): Regex[] {
  const flat = all.flatMap((part) => (part.op === op ? part.parts : [part]))
  return [...new Set(flat)].sort((left, right) => left.id - right.id)
}

/** The code points where the derivative may change: between two of them every letter leads to the same place. */
export function cuts(regex: Regex): number[] {
  const found = new Set<number>([0])
  collectCuts(regex, found)
  return [...found].filter((code) => code <= lastCodePoint).sort((left, right) => left - right)
}

function collectCuts(regex: Regex, found: Set<number>): void {
  if (regex.op === 'chars') {
    for (const [from, to] of regex.ranges) found.add(from).add(to + 1)
  } else if (regex.op === 'then') {
    collectCuts(regex.left, found)
    if (regex.left.empty) collectCuts(regex.right, found)
  } else if (regex.op === 'or' || regex.op === 'and') {
    for (const part of regex.parts) collectCuts(part, found)
  } else if (regex.op === 'not' || regex.op === 'repeat') {
    collectCuts(regex.part, found)
  }
}
