// Kinds of query parameters: they come as text.
import { z } from 'zod'

export const wholeNumber = (min: number, max = 1_000_000_000) =>
  z
    .string()
    .regex(/^\d{1,10}$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))

/** ISO 8601, with or without a time of day; in milliseconds since the epoch. */
export const moment = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/, 'expected a time by ISO 8601')
  .transform((text, context) => {
    const isZoned = /(Z|[+-]\d{2}:?\d{2})$/.test(text.slice(10)) || text.length === 10
    const at = Date.parse(isZoned ? text : `${text}Z`)
    if (Number.isNaN(at)) context.addIssue({ code: 'custom', message: 'expected a time by ISO 8601' })
    return at
  })
