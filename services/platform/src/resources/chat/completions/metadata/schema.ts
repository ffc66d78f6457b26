// Records whose size is looked at before their pairs are.
import { z } from 'zod'

const maxTags = 16
const maxTagNameLetters = 64
const maxTagValueLetters = 512

/** A record with at most `maxPairs`; one with a million is refused without a look at each. */
export const boundedRecord = <Name extends z.ZodString, Value extends z.ZodType>(
  name: Name,
  value: Value,
  maxPairs: number,
) =>
  z.preprocess(
    (input, context) => {
      const isLarge = typeof input === 'object' && input !== null && Object.keys(input).length > maxPairs
      if (isLarge) context.addIssue({ code: 'too_big', origin: 'object', maximum: maxPairs, inclusive: true, input })
      return input
    },
    z.record(name, value),
  )

/** What callers tag their objects with. */
export const Metadata = boundedRecord(z.string().max(maxTagNameLetters), z.string().max(maxTagValueLetters), maxTags)
export type Metadata = z.output<typeof Metadata>
