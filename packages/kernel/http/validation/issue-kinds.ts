// The issues a caller can hear of, each made in one place.

import { nearestName } from '../../config/nearest-name.ts'
import type { Issue } from '../error.ts'
import { describeSchema, describeValue, isInteger } from './describe-schema.ts'
import type { Context } from './issue-context.ts'
import { paramPath } from './param-path.ts'
import { knownNames } from './schema-walk.ts'

type Primitive = string | number | boolean | null

/** A value is quoted in an answer only so far; it may be long, and it is the caller's own. */
const maxQuotedLength = 64

const paramOf = ({ path }: Context): string | null => (path.length === 0 ? null : paramPath(path))

const named = (here: Context): string => `'${paramOf(here) ?? here.place}'`

export function missingIssue(here: Context): Issue {
  const expected = here.schema === undefined ? 'a value' : describeSchema(here.schema)
  const message = `Missing required parameter: ${named(here)}.`
  return { kind: 'missing', place: here.place, param: paramOf(here), message, expected, received: 'nothing' }
}

export function typeIssue(here: Context, zodExpected: string): Issue {
  const expected = zodExpected === 'int' ? 'an integer' : expectation(here, zodExpected)
  const received = describeValue(here.value)
  const message = `Invalid type for ${named(here)}: expected ${expected}, but got ${received} instead.`
  return { kind: 'type', place: here.place, param: paramOf(here), message, expected, received }
}

const expectation = ({ schema }: Context, zodExpected: string): string => {
  if (schema !== undefined) return describeSchema(schema)
  return /^[aeio]/.test(zodExpected) ? `an ${zodExpected}` : `a ${zodExpected}`
}

export function valueIssue(here: Context, values: readonly unknown[]): Issue {
  const kinds = new Set(values.map(kindOf))
  if (!kinds.has(kindOf(here.value))) return typeIssue(here, String([...kinds][0]))
  const supported = values.filter(isPrimitive)
  const received = quote(here.value)
  const message = `Invalid value: ${received}. Supported values are: ${list(supported.map(quote))}.`
  return { kind: 'value', place: here.place, param: paramOf(here), message, supported, received }
}

const kindOf = (value: unknown): string => (value === null ? 'null' : typeof value)

const isPrimitive = (value: unknown): value is Primitive => value === null || /^[sbn]/.test(typeof value)

function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const short = text.length > maxQuotedLength ? `${text.slice(0, maxQuotedLength)}…` : text
  return typeof value === 'string' ? `'${short}'` : short
}

function list(words: readonly string[]): string {
  if (words.length < 3) return words.join(' and ')
  return `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`
}

const lengthOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined
}

type BoundOf = NonNullable<Issue['bound']>['of']

function boundOf(here: Context, origin: string): BoundOf {
  if (origin === 'string') return 'string'
  if (origin === 'array' || origin === 'set') return 'array'
  if (origin === 'int' || origin === 'bigint') return 'integer'
  if (origin === 'number') return here.schema !== undefined && isInteger(here.schema) ? 'integer' : 'decimal'
  return 'object'
}

const units: Record<BoundOf, string> = {
  string: ' characters',
  array: ' items',
  object: ' properties',
  integer: '',
  decimal: '',
}

export function boundIssue(
  here: Context,
  kind: 'too_big' | 'too_small',
  origin: string,
  limit: number,
  inclusive: boolean,
): Issue {
  const of = boundOf(here, origin)
  const actual = lengthOf(here.value)
  const comparison = `${kind === 'too_big' ? '<' : '>'}${inclusive ? '=' : ''} ${limit}${units[of]}`
  const got = actual === undefined ? '' : `, but got ${actual}${units[of]}`
  const message = `Invalid ${named(here)}: expected ${comparison}${got}.`
  const bound = { of, limit, inclusive, ...(actual === undefined ? {} : { actual }) }
  return { kind, place: here.place, param: paramOf(here), message, bound }
}

/** Of the unknown names, so many are looked up and told. */
const maxNamesTold = 20

/** Names are whole paths, as `param` is: `messages[0].rol` is near `messages[0].role`. */
export function unknownIssue(here: Context, names: readonly string[]): Issue {
  const known = knownNames(here.schema, here.value)
  const at = (name: string) => paramPath([...here.path, name])
  const unknown = names.slice(0, maxNamesTold).map((name) => {
    const nearest = nearestName(name, known)
    return nearest === undefined ? { name: at(name) } : { name: at(name), nearest: at(nearest) }
  })
  const words = unknown.map(({ name, nearest }) => quote(name) + (nearest ? ` (did you mean '${nearest}'?)` : ''))
  const message = `Unknown parameter${unknown.length > 1 ? 's' : ''}: ${list(words)}.`
  return { kind: 'unknown', place: here.place, param: unknown[0]?.name ?? null, message, unknown }
}
