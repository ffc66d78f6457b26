// Kinds of values that the admin interface takes and shows.
import { z } from 'zod'

/** In a query, where everything comes as text. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.int().min(least).max(most))

export const Limit = wholeNumber(1, 1_000).default(100)

export const IdParams = z.object({ id: z.string().min(1).max(200) })

/** ISO 8601. */
export const Moment = z.string()

export const shownTime = (ms: number): string => new Date(Number(ms)).toISOString()
export const shownTimeOrNull = (ms: number | null): string | null => (ms === null ? null : shownTime(ms))
