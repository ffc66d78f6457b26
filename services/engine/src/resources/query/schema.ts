// Pieces of query strings that several resources read.
import { z } from 'zod'

const yes = new Set(['1', 'true', 'True', 'TRUE', 't', 'T', 'yes', 'on'])

/** Anything but these words and absence is no: `''`, `0`, `false`, `no`, `none`. */
export const flag = z
  .string()
  .optional()
  .transform((text) => text !== undefined && yes.has(text))

/** A flag that is on unless it is switched off. */
export const flagOn = z
  .string()
  .optional()
  .transform((text) => text === undefined || yes.has(text))

export const maybeNumber = z
  .string()
  .optional()
  .transform((text, context) => {
    if (text === undefined || text === '') return undefined
    const number = Number(text)
    if (Number.isFinite(number)) return number
    context.addIssue({ code: 'custom', message: `'${text}' is not a number` })
    return z.NEVER
  })

export type Filters = Record<string, string[]>

/** `{"label":["a=b"]}`, or as older and newer clients write it `{"label":{"a=b":true}}`. */
export const filters = z
  .string()
  .optional()
  .transform((text, context): Filters => {
    if (text === undefined || text === '') return {}
    const read = readFilters(text)
    if (read !== undefined) return read
    context.addIssue({
      code: 'custom',
      message: 'filters must be a JSON object of lists or of objects with true values',
    })
    return z.NEVER
  })

const Written = z.record(z.string(), z.union([z.array(z.string()), z.record(z.string(), z.literal(true))]))

function readFilters(text: string): Filters | undefined {
  try {
    const written = Written.parse(JSON.parse(text))
    const entries = Object.entries(written).map(([name, given]): [string, string[]] => [
      name,
      Array.isArray(given) ? given : Object.keys(given),
    ])
    return Object.fromEntries(entries)
  } catch {
    return undefined
  }
}
