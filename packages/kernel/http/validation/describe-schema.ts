// Says in plain English what a schema expects and what a value is.
import { type $ZodType, type $ZodTypes, globalRegistry } from 'zod/v4/core'

/** What stands behind optional, nullable, default and the like. */
export function unwrap(schema: $ZodType): $ZodType {
  const { def } = (schema as $ZodTypes)._zod
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'catch':
    case 'readonly':
    case 'success':
      return unwrap(def.innerType)
    case 'lazy':
      return unwrap(def.getter())
    case 'pipe':
      return unwrap(isTransform(def.in) ? def.out : def.in)
    default:
      return schema
  }
}

const isTransform = (schema: $ZodType): boolean => (schema as $ZodTypes)._zod.def.type === 'transform'

/** Without its article: `string`, `array of objects`. */
interface Noun {
  text: string
  article: 'a ' | 'an ' | ''
}

const noun = (text: string, article: Noun['article'] = 'a '): Noun => ({ text, article })

export function describeSchema(schema: $ZodType): string {
  const { expects } = globalRegistry.get(schema) ?? {}
  if (typeof expects === 'string') return expects
  const nouns = nounsOf(schema)
  const [first] = nouns
  if (first === undefined) return 'a value'
  if (nouns.length === 1) return first.article + first.text
  const rest = nouns.slice(1).map(({ text }) => text)
  return `one of ${[first.article + first.text, ...rest.slice(0, -1)].join(', ')} or ${rest.at(-1)}`
}

function nounsOf(schema: $ZodType): Noun[] {
  const inner = unwrap(schema)
  const { def } = (inner as $ZodTypes)._zod
  if (def.type !== 'union') return [nounOf(inner)]
  const all = def.options.flatMap((option) => nounsOf(option))
  return all.filter((one, index) => all.findIndex((other) => other.text === one.text) === index)
}

function nounOf(schema: $ZodType): Noun {
  const { def } = (schema as $ZodTypes)._zod
  switch (def.type) {
    case 'number':
      return isInteger(schema) ? noun('integer', 'an ') : noun('number')
    case 'array':
      return noun(arrayOf(def.element), 'an ')
    case 'tuple':
      return noun('array', 'an ')
    case 'object':
    case 'record':
    case 'intersection':
      return noun('object', 'an ')
    case 'enum':
      return nounOfValues(Object.values(def.entries))
    case 'literal':
      return nounOfValues(def.values)
    case 'null':
      return noun('null', '')
    default:
      return noun(def.type === 'any' || def.type === 'unknown' ? 'value' : def.type)
  }
}

const nounOfValues = (values: readonly unknown[]): Noun => {
  const [kind] = values.map((value) => (value === null ? 'null' : typeof value))
  return kind === 'null' ? noun('null', '') : noun(kind ?? 'value')
}

function arrayOf(element: $ZodType): string {
  const nouns = nounsOf(element)
  const only = nouns.length === 1 ? nouns[0] : undefined
  return only === undefined || only.text === 'value' ? 'array' : `array of ${plural(only.text)}`
}

const plural = (text: string): string => (text.startsWith('array') ? text.replace(/^array/, 'arrays') : `${text}s`)

export function isInteger(schema: $ZodType): boolean {
  const { def } = (unwrap(schema) as $ZodTypes)._zod
  if (def.type !== 'number') return false
  return [def, ...(def.checks ?? []).map((check) => check._zod.def)].some(hasIntegerFormat)
}

const hasIntegerFormat = (def: object): boolean => 'format' in def && String(def.format).includes('int')

export function describeValue(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (typeof value === 'number') return describeNumber(value)
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function describeNumber(value: number): string {
  if (Number.isNaN(value)) return 'no number' // What a text in an address was read as.
  if (Number.isInteger(value)) return 'an integer'
  return Number.isFinite(value) ? 'a decimal number' : 'a number out of range'
}
