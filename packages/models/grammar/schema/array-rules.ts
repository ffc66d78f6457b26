// Rules for arrays: the first elements one by one, then the rest.
import { choice, type Expression, never, nothing, sequence, text } from '../gbnf.ts'
import { comma, constant } from '../json-text.ts'
import { repeat } from '../repetition.ts'
import { canonical } from './canonical.ts'
import type { Rules } from './rules.ts'
import { elementConjunction, type Shape } from './shape.ts'
import { allowedValues } from './shape-values.ts'

/** Every set of values already used is a rule of its own. */
const maxUniqueValues = 8

export function arrayRule(rules: Rules, shape: Shape): Expression {
  return sequence(text('['), elements(rules, shape), text(']'))
}

function elements(rules: Rules, shape: Shape): Expression {
  const { minItems, maxItems, uniqueItems } = shape
  const placed = Math.min(
    maxItems ?? Number.POSITIVE_INFINITY,
    ...[Math.max(0, ...shape.arrays.map(({ first }) => first.length))],
  )
  if (uniqueItems && maxItems !== 0 && maxItems !== 1) {
    const values = placed === 0 ? fewValues(rules, shape) : undefined
    if (values) return uniqueElements(rules, values, shape)
    const what = `'uniqueItems' is supported for up to ${maxUniqueValues} enum values only, or with 'maxItems' of 1.`
    rules.reader.unsupported(uniqueItems, what)
  }
  let rest = others(rules, shape, placed)
  for (let index = placed - 1; index >= 0; index -= 1) {
    const element = rules.value(elementConjunction(shape, index))
    const further = sequence(index === 0 ? nothing : comma, element, rest)
    rest = rules.builder.add('elements', choice(further, index >= minItems ? nothing : never))
  }
  return rest
}

/** The elements after the first ones that have a schema of their own. */
function others(rules: Rules, shape: Shape, placed: number): Expression {
  const { minItems, maxItems } = shape
  if (maxItems !== undefined && maxItems < minItems) return never
  if (maxItems !== undefined && maxItems <= placed) return nothing
  const element = rules.value(elementConjunction(shape, placed))
  const further = sequence(comma, element)
  const need = Math.max(0, minItems - placed)
  const room = maxItems === undefined ? undefined : maxItems - placed
  if (placed > 0) return repeat(rules.builder, further, need, room)
  const list = sequence(
    element,
    repeat(rules.builder, further, Math.max(0, need - 1), room === undefined ? undefined : room - 1),
  )
  return choice(list, need === 0 ? nothing : never)
}

function fewValues(rules: Rules, shape: Shape): unknown[] | undefined {
  const values = new Map<string, unknown>()
  for (const one of rules.reader.shapes(elementConjunction(shape, 0))) {
    for (const value of finiteValues(rules, one) ?? Array(maxUniqueValues + 1).keys())
      values.set(canonical(value), value)
  }
  return values.size <= maxUniqueValues ? [...values.values()] : undefined
}

function finiteValues(rules: Rules, shape: Shape): readonly unknown[] | undefined {
  if (shape.values) return allowedValues(rules.reader, shape)
  const few: Record<string, unknown[]> = { null: [null], boolean: [false, true] }
  const all = [...shape.types].map((type) => few[type])
  return all.every((values) => values !== undefined) ? all.flat() : undefined
}

/** Each value at most once: a rule for each set of those still to be had. */
function uniqueElements(rules: Rules, values: unknown[], shape: Shape): Expression {
  const known = new Map<number, Expression>()
  const from = (left: number): Expression => {
    const ready = known.get(left)
    if (ready) return ready
    const used = values.filter((_, index) => (left & (1 << index)) === 0).length
    const mayEnd = used >= shape.minItems
    const mayGoOn = used < (shape.maxItems ?? values.length)
    const ways = values.flatMap((value, index) =>
      mayGoOn && left & (1 << index)
        ? [sequence(used === 0 ? nothing : comma, constant(value), from(left & ~(1 << index)))]
        : [],
    )
    const made = rules.builder.add('set', choice(...ways, mayEnd ? nothing : never))
    known.set(left, made)
    return made
  }
  return from((1 << values.length) - 1)
}
