// Records whose size is looked at before their pairs are.
import { z } from 'zod'

const maxTags = 16
const maxTagNameLetters = 64
const maxTagValueLetters = 512

/** Zod leaves it out of what it makes of a record; who gave it would never hear of that. */
const lostName = '__proto__'

/** A record with at most `maxPairs`; one with a million is refused without a look at each. */
export const boundedRecord = <Name extends z.ZodString, Value extends z.ZodType>(
  name: Name,
  value: Value,
  maxPairs: number,
) =>
  z.preprocess(
    (input, context) => {
      if (typeof input !== 'object' || input === null) return input
      const isLarge = Object.keys(input).length > maxPairs
      if (isLarge) context.addIssue({ code: 'too_big', origin: 'object', maximum: maxPairs, inclusive: true, input })
      if (Object.hasOwn(input, lostName)) {
        const message = `'${lostName}' cannot be kept as a name: choose another one.`
        context.addIssue({ code: 'custom', path: [lostName], message, input })
      }
      return input
    },
    z.record(name, value),
  )

/** What callers tag their objects with. */
export const Metadata = boundedRecord(z.string().max(maxTagNameLetters), z.string().max(maxTagValueLetters), maxTags)
export type Metadata = z.output<typeof Metadata>
