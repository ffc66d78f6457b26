// Checks inputs against a route's schemas, prepared once at start.
import { ZodObject, type ZodType, z } from 'zod'
import type { ErrorCatalogue, Issue } from './error.ts'
import { bestIssue } from './issues.ts'

export function checkInput(schema: ZodType, value: unknown, place: Issue['place'], errors: ErrorCatalogue): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw errors.invalid(bestIssue(result.error.issues, { schema, value, place }))
}

/** Query strings and forms never carry more than is known, whatever the schema's author wrote. */
export const strict = (schema: ZodType): ZodType =>
  schema instanceof ZodObject && schema.def.catchall === undefined ? schema.strict() : schema

export const nothing: ZodType = z.strictObject({})

export const acceptsNothing = (schema: ZodType): boolean => schema.safeParse(undefined).success
