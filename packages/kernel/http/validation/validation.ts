// Checks inputs against a route's schemas, prepared once at start.
import { core, ZodObject, type ZodType, z } from 'zod'
import type { $ZodIssue } from 'zod/v4/core'
import type { ErrorCatalogue, Issue } from '../error.ts'
import { bestIssue } from './issues.ts'

/** A list stops at its first wrong item: a body that is wrong throughout would cost far more than one that is right. */
const untilFirst = { reportInput: false, abortEarly: true }

export function checkInput(schema: ZodType, value: unknown, place: Issue['place'], errors: ErrorCatalogue): unknown {
  const result = schema.safeParse(value, untilFirst)
  if (result.success) return result.data
  throw errors.invalid(bestIssue(issuesOf(schema, value), { schema, value, place }))
}

/** So many issues say what is wrong as well as all of them. */
const maxIssues = 100
/** What has more values than these is asked for its first issue alone. */
const maxValuesWeighed = 2_000

/** Once more, now with the offending values: what is right the first time need not pay for that. */
export function issuesOf(schema: ZodType, value: unknown): $ZodIssue[] {
  const context = {
    reportInput: true,
    async: false,
    abortEarly: countValues(value, maxValuesWeighed) > maxValuesWeighed,
  }
  const result = schema._zod.run({ value, issues: [] }, context)
  if (result instanceof Promise) throw new core.$ZodAsyncError()
  return result.issues.slice(0, maxIssues).map((issue) => core.util.finalizeIssue(issue, context, core.config()))
}

/** Counts no further than one beyond `most`. */
function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const name in value) {
    count += countValues((value as Record<string, unknown>)[name], most - count)
    if (count > most) return count
  }
  return count
}

/** Query strings and forms never carry more than is known, whatever the schema's author wrote. */
export const strict = (schema: ZodType): ZodType =>
  schema instanceof ZodObject && schema.def.catchall === undefined ? schema.strict() : schema

/** What is not known is passed over, and of a value given several times where one is wanted the first is taken. */
export function tolerant(schema: ZodType): ZodType {
  if (!(schema instanceof ZodObject)) return schema
  const stripped = schema.strip()
  const single = Object.keys(stripped.shape).filter((name) => !takesLists(stripped.shape[name] as ZodType))
  const names = new Set(single)
  return z.preprocess((query) => firstOf(query, names), stripped)
}

const takesLists = (schema: ZodType): boolean => schema.safeParse([]).success

function firstOf(query: unknown, single: ReadonlySet<string>): unknown {
  if (typeof query !== 'object' || query === null || !Object.values(query).some(Array.isArray)) return query
  const entries = Object.entries(query).map(([name, value]) => [
    name,
    single.has(name) && Array.isArray(value) ? value[0] : value,
  ])
  return Object.fromEntries(entries)
}

export const nothing: ZodType = z.strictObject({})

export const acceptsNothing = (schema: ZodType): boolean => schema.safeParse(undefined).success
