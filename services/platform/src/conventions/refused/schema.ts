// Kinds of things that callers know from elsewhere and that are not to be had here: each is refused with its own sentence,
// and not with a list of what else there is.
import { z } from 'zod'

/** `sentences` by `type`. */
export function withRefusals<Schema extends z.ZodType>(
  sentences: Readonly<Record<string, string>>,
  schema: Schema,
): z.ZodPreprocess<Schema> {
  return z.preprocess((value, context) => {
    const { type } = (value ?? {}) as { type?: unknown }
    if (typeof type === 'string' && Object.hasOwn(sentences, type)) {
      context.addIssue({ code: 'custom', path: ['type'], message: sentences[type] as string, input: value })
    }
    return value
  }, schema)
}

export const noCustomTools =
  "the models of this server write the arguments of functions, not free text for custom tools. Declare a function ('type': 'function') with one string parameter."
