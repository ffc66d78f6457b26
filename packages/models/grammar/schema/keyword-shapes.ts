// What each keyword adds to a shape. Keywords that lead to other schemas ($ref, allOf, anyOf, oneOf) are not here.
import { formatPatterns } from '../strings/formats.ts'
import { canonical } from './canonical.ts'
import type { SchemaPath } from './schema-problem.ts'
import { commonMultiple, type JsonType, type SchemaNode, type Shape, smallest, tighter } from './shape.ts'

export interface KeywordUse {
  shape: Shape
  schema: Record<string, unknown>
  /** Of the keyword. */
  path: SchemaPath
  node: (schema: unknown, path: SchemaPath) => SchemaNode
  /** Refuses in strict mode; otherwise the keyword is left out. */
  unsupported: (path: SchemaPath, what: string) => void
}

type KeywordShape = (value: never, use: KeywordUse) => Partial<Shape>

export const keywordShapes: Record<string, KeywordShape> = {
  type: (value: string | string[], { shape, schema }) => {
    const names = new Set([value].flat())
    if (schema.nullable === true) names.add('null')
    const types = [...names].map((name) => (name === 'integer' ? 'number' : name) as JsonType)
    const whole = names.has('integer') && !names.has('number')
    return { types: new Set(types.filter((type) => shape.types.has(type))), whole: shape.whole || whole }
  },
  enum: (value: unknown[], { shape }) => ({ values: both(shape.values, value) }),
  const: (value: unknown, { shape }) => ({ values: both(shape.values, [value]) }),

  minimum: (value: number, { shape }) => ({ min: tighter(shape.min, { value, exclusive: false }, 1) }),
  exclusiveMinimum: (value: number, { shape }) => ({ min: tighter(shape.min, { value, exclusive: true }, 1) }),
  maximum: (value: number, { shape }) => ({ max: tighter(shape.max, { value, exclusive: false }, -1) }),
  exclusiveMaximum: (value: number, { shape }) => ({ max: tighter(shape.max, { value, exclusive: true }, -1) }),
  multipleOf: (value: number, { shape, path }) => ({
    multipleOf: commonMultiple(shape.multipleOf, value),
    multipleOfPath: path,
  }),

  minLength: (value: number, { shape }) => ({ minLength: Math.max(shape.minLength, value) }),
  maxLength: (value: number, { shape }) => ({ maxLength: smallest(shape.maxLength, value) }),
  pattern: (source: string, { shape, path }) => ({ patterns: [...shape.patterns, { source, path }] }),
  format: (value: string, { shape, path, unsupported }) => {
    const source = Object.hasOwn(formatPatterns, value) ? formatPatterns[value] : undefined
    if (source !== undefined) return { patterns: [...shape.patterns, { source, path }] }
    unsupported(path, `'${value}' is not a supported format; these are: ${Object.keys(formatPatterns).join(', ')}.`)
    return {}
  },

  minItems: (value: number, { shape }) => ({ minItems: Math.max(shape.minItems, value) }),
  maxItems: (value: number, { shape }) => ({ maxItems: smallest(shape.maxItems, value) }),
  uniqueItems: (value: boolean, { shape, path }) => ({ uniqueItems: value ? path : shape.uniqueItems }),
  items: (_value: unknown, use) => arrayPart(use),
  prefixItems: (_value: unknown, use) => ('items' in use.schema ? {} : arrayPart(use)),

  required: (value: string[], { shape }) => ({ required: [...new Set([...shape.required, ...value])] }),
  minProperties: (value: number, { shape, path }) =>
    value > shape.minProperties ? { minProperties: value, minPropertiesPath: path } : {},
  maxProperties: (value: number, { shape }) => ({ maxProperties: smallest(shape.maxProperties, value) }),
  properties: (_value: unknown, use) => objectPart(use),
  patternProperties: (_value: unknown, use) => ('properties' in use.schema ? {} : objectPart(use)),
  additionalProperties: (_value: unknown, use) =>
    'properties' in use.schema || 'patternProperties' in use.schema ? {} : objectPart(use),
}

function both(known: readonly unknown[] | undefined, more: readonly unknown[]): readonly unknown[] {
  const unique = new Map(more.map((value) => [canonical(value), value]))
  if (known === undefined) return [...unique.values()]
  return known.filter((value) => unique.has(canonical(value)))
}

/** `items` may also be a list, as it was before `prefixItems`; then `additionalItems` are the rest. */
function arrayPart({ shape, schema, path, node }: KeywordUse): Partial<Shape> {
  const at = path.slice(0, -1)
  const { prefixItems, items, additionalItems } = schema
  const firstKeyword = Array.isArray(items) ? 'items' : 'prefixItems'
  const restKeyword = Array.isArray(items) ? 'additionalItems' : 'items'
  const first = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : []
  const rest = Array.isArray(items) ? additionalItems : items
  const part = {
    first: first.map((schema, index) => node(schema, [...at, firstKeyword, index])),
    rest: rest === undefined ? undefined : node(rest, [...at, restKeyword]),
  }
  return { arrays: [...shape.arrays, part] }
}

function objectPart({ shape, schema, path, node }: KeywordUse): Partial<Shape> {
  const at = path.slice(0, -1)
  const entries = (keyword: string): [string, SchemaNode][] =>
    Object.entries(schema[keyword] ?? {}).map(([name, part]) => [name, node(part, [...at, keyword, name])])
  const patterns = entries('patternProperties').map(([source, part]) => ({ source, node: part, path: part.path }))
  const rest = schema.additionalProperties
  const part = {
    properties: new Map(entries('properties')),
    patterns,
    rest: rest === undefined ? undefined : node(rest, [...at, 'additionalProperties']),
  }
  return { objects: [...shape.objects, part] }
}
