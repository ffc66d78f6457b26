import { z } from 'zod'
import { Usage } from '../chat/completions/answer/schema.ts'
import { samplingFields } from '../chat/completions/sampling/schema.ts'

const maxPrompts = 2048
const maxPromptTokens = 131_072
/** Of all prompts together, and whatever other numbers a request holds. */
export const maxNumbers = 2 * maxPromptTokens
const maxToken = 2 ** 31 - 1

const Tokens = z.array(z.int().min(0).max(maxToken)).min(1).max(maxPromptTokens)

/** Text, several texts, tokens, or several lists of tokens. */
const PromptForms = z.union([
  z.string(),
  z.array(z.string()).min(1).max(maxPrompts),
  Tokens,
  z.array(Tokens).min(1).max(maxPrompts),
])

/** The first element says what the others are: a long list is judged once, not once for each form it might have. */
const Prompt = z.preprocess((input, context) => {
  if (!Array.isArray(input)) return input
  const [first] = input
  const [maximum, expected] =
    typeof first === 'number' ? [maxPromptTokens, 'int' as const] : [maxPrompts, typeOf(first)]
  if (input.length > maximum) {
    context.addIssue({ code: 'too_big', origin: 'array', maximum, inclusive: true, input })
    return input
  }
  const odd = input.findIndex((item) => typeOf(item) !== expected)
  if (odd >= 0) context.addIssue({ code: 'custom', message: `expected ${kinds[expected]}.`, path: [odd] })
  return input
}, PromptForms)
export type Prompt = z.infer<typeof Prompt>

type Kind = keyof typeof kinds

const kinds = {
  string: 'a string, like the first element',
  int: 'an integer, like the first element',
  array: 'an array of integers, like the first element',
  unknown: 'a string, an integer, or an array of integers',
}

const typeOf = (item: unknown): Kind => {
  if (typeof item === 'string') return 'string'
  if (Array.isArray(item)) return 'array'
  return Number.isInteger(item) ? 'int' : 'unknown'
}

export const CreateCompletion = z.strictObject({
  model: z.string().min(1).max(256),
  prompt: Prompt.nullish(),
  ...samplingFields,
  suffix: z.string().nullish(),
  echo: z.boolean().nullish(),
  best_of: z.int().min(0).max(20).nullish(),
  logprobs: z.int().min(0).max(5).nullish(),
  max_tokens: z.int().min(0).nullish(),
})
export type CreateCompletion = z.infer<typeof CreateCompletion>

const Logprobs = z.object({
  tokens: z.array(z.string()),
  token_logprobs: z.array(z.number().nullable()),
  top_logprobs: z.array(z.record(z.string(), z.number()).nullable()).nullable(),
  text_offset: z.array(z.int()),
})

export const Completion = z.object({
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      text: z.string(),
      logprobs: Logprobs.nullable(),
      finish_reason: z.enum(['stop', 'length', 'content_filter']),
    }),
  ),
  usage: Usage,
  system_fingerprint: z.string(),
})
export type Completion = z.infer<typeof Completion>
