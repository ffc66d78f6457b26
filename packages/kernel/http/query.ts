// Schemas for query parameters: text becomes values, and what is wrong is told in terms of the values.
import { z } from 'zod'

interface IntegerBounds {
  min: number
  max: number
}

const wholeNumber = /^[+-]?\d+$/

/** Digits beyond the exact range are past every bound anyway. */
function toInteger(text: unknown): unknown {
  if (typeof text !== 'string' || !wholeNumber.test(text)) return text
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(text)))
}

/** Many have the same bounds: they share a schema, which takes memory for as long as the server runs. */
const integers = new Map<string, ReturnType<typeof newInteger>>()

export function requiredInteger(bounds: IntegerBounds): ReturnType<typeof newInteger> {
  const name = `${bounds.min} to ${bounds.max}`
  const integer = integers.get(name) ?? newInteger(bounds)
  integers.set(name, integer)
  return integer
}

const newInteger = ({ min, max }: IntegerBounds) => z.preprocess(toInteger, z.int().min(min).max(max))

export const integerParam = (bounds: IntegerBounds) => requiredInteger(bounds).optional()

export const integerParamOr = (fallback: number, bounds: IntegerBounds) => requiredInteger(bounds).default(fallback)

const truths = new Map<unknown, boolean>([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

const toBoolean = (text: unknown): unknown => truths.get(text) ?? text

/** `true`, `false`, `1` or `0`. */
export const booleanParam = () => z.preprocess(toBoolean, z.boolean()).optional()

export const booleanParamOr = (fallback: boolean) => z.preprocess(toBoolean, z.boolean()).default(fallback)

/** Given once, several times, or with `[]`. */
export const stringsParam = <Item extends z.ZodType<unknown, string>>(item: Item, maxItems = 100) =>
  z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item).max(maxItems)).optional()

const splitAtCommas = (value: unknown): unknown => {
  const given = typeof value === 'string' ? [value] : value
  return Array.isArray(given)
    ? given.flatMap((text: unknown) => (typeof text === 'string' ? text.split(',') : text))
    : given
}

/** As `stringsParam`, also separated by commas: for names that have none themselves. */
export const listParam = <Item extends z.ZodType<unknown, string>>(item: Item, maxItems = 100) =>
  z.preprocess(splitAtCommas, z.array(item).max(maxItems)).optional()

const maxCursorLength = 256

interface PageLimits {
  maxLimit: number
  defaultLimit: number
}

/** Most lists have the same limits: they share a schema, which takes a third of a millisecond to make. */
const pageQueries = new Map<string, ReturnType<typeof newPageQuery>>()

/** The list parameters every paginated list takes. */
export function pageQuery(limits: PageLimits): ReturnType<typeof newPageQuery> {
  const name = `${limits.defaultLimit} of ${limits.maxLimit}`
  const query = pageQueries.get(name) ?? newPageQuery(limits)
  pageQueries.set(name, query)
  return query
}

const newPageQuery = ({ maxLimit, defaultLimit }: PageLimits) =>
  z.strictObject({
    after: z.string().min(1).max(maxCursorLength).optional(),
    before: z.string().min(1).max(maxCursorLength).optional(),
    limit: integerParamOr(defaultLimit, { min: 1, max: maxLimit }),
    order: z.enum(['asc', 'desc']).default('desc'),
  })
