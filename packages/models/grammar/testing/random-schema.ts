// Makes up JSON Schemas of what grammars can enforce exactly, and changes values a little.
import type { Random } from './gbnf-sampler.ts'

type Schema = boolean | Record<string, unknown>

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
const int = (random: Random, most: number): number => Math.floor(random() * (most + 1))
const maybe = <T>(random: Random, share: number, make: () => T): T | Record<string, never> =>
  random() < share ? make() : {}

const names = ['a', 'b', 'ab', 'name', 'größe', 'with "quotes"', 'tab\there']
const patterns = [
  '^[a-c]+$', 'b', '^a', 'c$', '^(ab|cd)*$', '^a{2,3}$', '^[^b]*$', '^\\d{1,3}(-\\d)?$', '^.$', '^\\w+\\s?\\w*$', '^a|b$',
  '^(?:a|(?<x>b))+?$', '^[\\d.-]{1,4}$', '^\\u00fc?\\x41?$', '^\\S{2}$', '^(a*)*$', '',
] // biome-ignore format: a table

export function randomSchema(random: Random, depth = 3): Schema {
  const kinds = depth > 0 ? [...leaves, ...branches] : leaves
  return pick(random, kinds)(random, depth)
}

type Maker = (random: Random, depth: number) => Schema

const leaves: Maker[] = [
  (random) => ({ type: pick(random, ['null', 'boolean', 'string', 'integer', 'number']) }),
  (random) => ({ type: [pick(random, ['string', 'integer']), pick(random, ['null', 'boolean'])] }),
  (random) => {
    const minLength = int(random, 3)
    return { type: 'string', minLength, ...maybe(random, 0.7, () => ({ maxLength: minLength + int(random, 3) })) }
  },
  (random) => ({
    type: 'string',
    pattern: pick(random, patterns),
    ...maybe(random, 0.4, () => ({ maxLength: 2 + int(random, 3) })),
    ...maybe(random, 0.3, () => ({ minLength: int(random, 2) })),
  }),
  (random) => numeric(random, 'integer', (value) => Math.round(value)),
  (random) => numeric(random, 'number', (value) => Math.round(value * 4) / 4),
  (random) => ({ enum: Array.from({ length: 1 + int(random, 4) }, () => randomValue(random, 1)) }),
  (random) => ({ const: randomValue(random, 2) }),
  (random) => (random() < 0.5 ? {} : true),
]

function numeric(random: Random, type: string, round: (value: number) => number): Schema {
  const low = round((random() - 0.5) * 10 ** int(random, 4))
  const high = low + round(random() * 10 ** int(random, 3))
  return {
    type,
    ...maybe(random, 0.6, () => ({ [pick(random, ['minimum', 'exclusiveMinimum'])]: low })),
    ...maybe(random, 0.6, () => ({ [pick(random, ['maximum', 'exclusiveMaximum'])]: high })),
    ...maybe(random, 0.3, () => ({
      multipleOf: pick(random, type === 'integer' ? [2, 3, 5, 7, 10] : [0.5, 0.25, 2, 3]),
    })),
  }
}

const branches: Maker[] = [
  object,
  object,
  (random, depth) => {
    const minItems = int(random, 2)
    return {
      type: 'array',
      items: randomSchema(random, depth - 1),
      minItems,
      ...maybe(random, 0.5, () => ({ maxItems: minItems + int(random, 3) })),
    }
  },
  (random, depth) => ({
    type: 'array',
    prefixItems: Array.from({ length: 1 + int(random, 2) }, () => randomSchema(random, depth - 1)),
    ...maybe(random, 0.5, () => ({ items: pick(random, [false, true, randomSchema(random, depth - 1)]) })),
    ...maybe(random, 0.3, () => ({ minItems: int(random, 3) })),
  }),
  (random) => ({ type: 'array', items: { enum: ['x', 'y', 1, null] }, uniqueItems: true, minItems: int(random, 2) }),
  (random, depth) => ({ anyOf: [randomSchema(random, depth - 1), randomSchema(random, depth - 1)] }),
  (random, depth) => ({ allOf: [randomSchema(random, depth - 1), randomSchema(random, depth - 1)] }),
  (random, depth) => ({
    oneOf: ['cat', 'dog', 'eel'].map((kind) => ({
      type: 'object',
      properties: { kind: { const: kind }, [kind]: randomSchema(random, depth - 1) },
      required: ['kind'],
    })),
  }),
  (random, depth) => ({
    type: 'object',
    patternProperties: { '^x-': randomSchema(random, depth - 1) },
    properties: { id: { type: 'integer' } },
    additionalProperties: false,
  }),
  (random, depth) => ({ $defs: { part: randomSchema(random, depth - 1) }, type: ['object', 'string'] }),
]

function object(random: Random, depth: number): Schema {
  const chosen = names.filter(() => random() < 0.5)
  const free = random() < 0.4
  return {
    ...maybe(random, 0.9, () => ({ type: 'object' })),
    properties: Object.fromEntries(chosen.map((name) => [name, randomSchema(random, depth - 1)])),
    required: chosen.filter(() => random() < 0.5),
    ...(free
      ? maybe(random, 0.5, () => ({ additionalProperties: randomSchema(random, 0) }))
      : { additionalProperties: false }),
    ...maybe(random, 0.2, () => ({ maxProperties: 1 + int(random, 3) })),
    ...maybe(random, 0.2, () => ({ minProperties: free ? int(random, 1) : int(random, 2) })),
  }
}

const values = [0, 1, -1, 2, 3, 7, 10, 0.5, 2.25, -3.5, 100, '', 'a', 'b', 'ab', 'abc', 'aa', 'x y', 'ü', '12-3', 'cat', null, true, false] // biome-ignore format: a table

function randomValue(random: Random, depth: number): unknown {
  const kind = depth > 0 ? int(random, 9) : 9
  if (kind === 0) return Array.from({ length: int(random, 2) }, () => randomValue(random, depth - 1))
  if (kind === 1)
    return Object.fromEntries(names.slice(0, int(random, 2)).map((name) => [name, randomValue(random, depth - 1)]))
  return pick(random, values)
}

/** The same value with one thing changed, without changing the order of members. */
export function changed(value: unknown, random: Random): unknown {
  if (random() < 0.3) return randomValue(random, 1)
  if (Array.isArray(value)) {
    const at = int(random, Math.max(0, value.length - 1))
    const way = int(random, 2)
    if (way === 0) return value.filter((_, index) => index !== at)
    if (way === 1) return [...value, value.length > 0 && random() < 0.5 ? value[at] : randomValue(random, 1)]
    return value.map((part, index) => (index === at ? changed(part, random) : part))
  }
  if (typeof value !== 'object' || value === null) return pick(random, values)
  const entries = Object.entries(value)
  const at = int(random, Math.max(0, entries.length - 1))
  const way = int(random, 2)
  if (way === 0) return Object.fromEntries(entries.filter((_, index) => index !== at))
  if (way === 1) return { ...value, zz: randomValue(random, 1) }
  return Object.fromEntries(entries.map(([name, part], index) => [name, index === at ? changed(part, random) : part]))
}
