// The new size of a terminal, in characters.
import { z } from 'zod'

const maxCharacters = 65_535

const characters = z.string().transform((text, context) => {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  if (number <= maxCharacters) return number
  context.addIssue({ code: 'custom', message: `'${text}' is no number of characters from 0 to ${maxCharacters}` })
  return z.NEVER
})

export const ResizeParams = z.object({ id: z.string() })
export const ResizeQuery = z.object({ h: characters, w: characters })
export type ResizeQuery = z.output<typeof ResizeQuery>
