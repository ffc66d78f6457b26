// Ways that begin alike become one way up to where they differ: the sampler tries every token on every way there is.
import { choice, type Expression, nothing, render, sequence, text } from './gbnf.ts'

type Way = readonly Expression[]

/** Fewer cost nothing worth saving. */
const manyWays = 8

/** Of a rule by its name. */
type Definition = (name: string) => Expression

export function withCommonBeginnings(expression: Expression, definition: Definition): Expression {
  const inside = (part: Expression): Expression => withCommonBeginnings(part, definition)
  switch (expression.kind) {
    case 'sequence':
      return sequence(...expression.parts.map(inside))
    case 'many':
    case 'repeat':
      return { ...expression, part: inside(expression.part) }
    case 'choice':
      return joined(
        expression.parts.map((part) => partsOf(inside(part))),
        definition,
      )
    default:
      return expression
  }
}

const partsOf = (expression: Expression): Way => (expression.kind === 'sequence' ? expression.parts : [expression])

function joined(ways: readonly Way[], definition: Definition): Expression {
  if (ways.length < manyWays) return choice(...ways.map((way) => sequence(...way)))
  const groups = Map.groupBy(
    ways.map((way) => opened(way, definition)),
    beginning,
  )
  return choice(...[...groups.values()].map((alike) => oneWay(alike, definition)))
}

/** A rule at the beginning is put in where it begins with a text. */
function opened(way: Way, definition: Definition): Way {
  const [first, ...rest] = way
  if (first?.kind !== 'rule') return way
  const parts = partsOf(definition(first.name))
  return parts[0]?.kind === 'text' ? partsOf(sequence(...parts, ...rest)) : way
}

/** A text is told by its first letter. */
function beginning([first]: Way): string {
  if (first === undefined) return ''
  return first.kind === 'text' ? `"${letters(first.text)[0]}` : render(first)
}

/** Up to where they differ. */
function oneWay(alike: readonly Way[], definition: Definition): Expression {
  const [way, ...others] = alike
  const [first] = way ?? []
  if (way === undefined || first === undefined) return nothing
  if (others.length === 0) return sequence(...way)
  const shared = first.kind === 'text' ? text(sharedLetters(alike.map(textOf))) : first
  const rests = alike.map((one) => without(shared, one))
  return sequence(shared, joined(rests, definition))
}

const textOf = ([first]: Way): string => (first?.kind === 'text' ? first.text : '')

function sharedLetters(texts: readonly string[]): string {
  const [first = [], ...others] = texts.map(letters)
  const end = first.findIndex((letter, at) => others.some((other) => other[at] !== letter))
  return first.slice(0, end < 0 ? undefined : end).join('')
}

function without(shared: Expression, [first, ...rest]: Way): Way {
  if (shared.kind !== 'text' || first?.kind !== 'text' || first.text === shared.text) return rest
  return [text(first.text.slice(shared.text.length)), ...rest]
}

/** Whole code points: half of one cannot be written. */
const letters = (words: string): string[] => [...words]
