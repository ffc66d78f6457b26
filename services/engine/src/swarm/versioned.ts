// Objects that callers change name the version that they have seen.
import { z } from 'zod'
import { invalidParameter } from '../errors.ts'

/** Somebody else was faster. */
export const outOfSequence = () => invalidParameter('update out of sequence')

/** `?version=12`: needed, so that nobody overwrites what another has just set. */
export const versionQuery = z
  .string()
  .optional()
  .transform((text, context) => {
    if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text)
    context.addIssue({
      code: 'custom',
      message: `invalid version '${text ?? ''}': the Version.Index of the object is needed`,
    })
    return z.NEVER
  })
