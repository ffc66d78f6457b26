// Checks inputs against a route's schemas, prepared once at start.
import { type ZodError, ZodObject, type ZodType, z } from 'zod'
import type { ErrorCatalogue, Issue } from './error.ts'
import { bestIssue } from './issues.ts'

export function checkInput(schema: ZodType, value: unknown, place: Issue['place'], errors: ErrorCatalogue): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw errors.invalid(bestIssue(issuesOf(schema, value), { schema, value, place }))
}

/** Once more, now with the offending values: what is right the first time need not pay for that. */
export const issuesOf = (schema: ZodType, value: unknown): ZodError['issues'] =>
  schema.safeParse(value, { reportInput: true }).error?.issues ?? []

/** Query strings and forms never carry more than is known, whatever the schema's author wrote. */
export const strict = (schema: ZodType): ZodType =>
  schema instanceof ZodObject && schema.def.catchall === undefined ? schema.strict() : schema

/** What is not known is passed over. */
export const tolerant = (schema: ZodType): ZodType => (schema instanceof ZodObject ? schema.strip() : schema)

export const nothing: ZodType = z.strictObject({})

export const acceptsNothing = (schema: ZodType): boolean => schema.safeParse(undefined).success
