// A shape is what one or more schemas say together about a value, without alternatives: what each type of value must
// keep to. A value that is allowed has at least one of a schema's shapes.

import { type Decimal, decimal, leastCommonMultiple } from '../numbers/decimal.ts'
import type { Bound } from '../numbers/number-range.ts'
import type { TextPatterns } from '../strings/text-patterns.ts'
import type { SchemaPath } from './schema-problem.ts'

export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

/** A schema that is an object or a boolean, and where it stands. */
export interface SchemaNode {
  id: number
  schema: boolean | Record<string, unknown>
  path: SchemaPath
}

/** What must all hold. None: anything goes. */
export type Conjunction = readonly SchemaNode[]

interface ArrayPart {
  first: readonly SchemaNode[]
  rest: SchemaNode | undefined
}

export interface ObjectPart {
  properties: ReadonlyMap<string, SchemaNode>
  patterns: readonly { source: string; node: SchemaNode; path: SchemaPath }[]
  rest: SchemaNode | undefined
}

interface Pattern {
  source: string
  path: SchemaPath
}

export interface Shape {
  readonly types: ReadonlySet<JsonType>
  /** Numbers have no fraction. */
  readonly whole: boolean
  /** Only these, as far as the rest allows them. */
  readonly values: readonly unknown[] | undefined
  readonly min: Bound | undefined
  readonly max: Bound | undefined
  readonly multipleOf: Decimal | undefined
  readonly multipleOfPath: SchemaPath
  readonly minLength: number
  readonly maxLength: number | undefined
  readonly patterns: readonly Pattern[]
  readonly arrays: readonly ArrayPart[]
  readonly minItems: number
  readonly maxItems: number | undefined
  readonly uniqueItems: SchemaPath | undefined
  readonly objects: readonly ObjectPart[]
  readonly required: readonly string[]
  readonly minProperties: number
  readonly minPropertiesPath: SchemaPath
  readonly maxProperties: number | undefined
}

export const anyShape: Shape = {
  types: new Set<JsonType>(['null', 'boolean', 'number', 'string', 'array', 'object']),
  whole: false,
  values: undefined,
  min: undefined,
  max: undefined,
  multipleOf: undefined,
  multipleOfPath: [],
  minLength: 0,
  maxLength: undefined,
  patterns: [],
  arrays: [],
  minItems: 0,
  maxItems: undefined,
  uniqueItems: undefined,
  objects: [],
  required: [],
  minProperties: 0,
  minPropertiesPath: [],
  maxProperties: undefined,
}

export const smallest = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined || right === undefined ? (left ?? right) : Math.min(left, right)

/** The tighter of two bounds; `direction` is 1 for lower bounds. */
export function tighter(left: Bound | undefined, right: Bound | undefined, direction: 1 | -1): Bound | undefined {
  if (!left || !right) return left ?? right
  if (left.value === right.value) return left.exclusive ? left : right
  return (left.value - right.value) * direction > 0 ? left : right
}

export const commonMultiple = (known: Decimal | undefined, more: number): Decimal =>
  known ? leastCommonMultiple(known, decimal(more)) : decimal(more)

/** What an object's members of this name must keep to. */
export function propertyConjunction(texts: TextPatterns, shape: Shape, name: string): Conjunction {
  return shape.objects.flatMap(({ properties, patterns, rest }) => {
    const named = properties.get(name)
    const matching = patterns.filter(({ source }) => texts.matches(source, name)).map(({ node }) => node)
    const own = named ? [named, ...matching] : matching
    return own.length > 0 ? own : rest ? [rest] : []
  })
}

/** What the element at this place must keep to. */
export const elementConjunction = (shape: Shape, index: number): Conjunction =>
  shape.arrays.flatMap(({ first, rest }) => first[index] ?? rest ?? [])
