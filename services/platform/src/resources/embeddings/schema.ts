import { z } from 'zod'

const maxInputs = 2048 // INF-223
/** Of all inputs together, where they are given as tokens: as many as the published API takes at once. */
export const maxInputTokens = 300_000
const maxModelLetters = 256
const maxUserLetters = 512

type Input = string | string[] | number[] | number[][]

interface Wrong {
  path: number[]
  input: unknown
  problem:
    | { code: 'invalid_type'; expected: 'string' | 'int' | 'array' }
    | { code: 'too_small'; origin: 'string' | 'array' | 'int'; minimum: number; inclusive: true }
    | { code: 'too_big'; origin: 'array'; maximum: number; inclusive: true }
}

const Tokens = z.array(z.int().min(0)).min(1)
const described = z.union([
  z.string().min(1), // INF-094, INF-100
  z.array(z.string().min(1)).min(1).max(maxInputs), // INF-095
  Tokens.max(maxInputs), // INF-096
  z.array(Tokens).min(1).max(maxInputs), // INF-097
])

/**
 * All forms an input can have. Checked by hand: millions of tokens are as many issues for a union that tries one form
 * after the other, and the first entry says already which form was meant.
 */
const InputForms = z
  .custom<Input>()
  .superRefine((value: unknown, context) => {
    const wrong = findWrong(value)
    if (wrong !== undefined) context.addIssue({ ...wrong.problem, path: wrong.path, input: wrong.input })
  })
  .meta({
    expects: 'a string, or an array of strings, of tokens, or of arrays of tokens',
    anyOf: z.toJSONSchema(described, { io: 'input' }).anyOf,
  })

/** The first thing that is wrong. */
function findWrong(value: unknown): Wrong | undefined {
  if (typeof value === 'string') return wrongText(value, [])
  if (!Array.isArray(value)) return { path: [], input: value, problem: { code: 'invalid_type', expected: 'string' } }
  if (value.length > maxInputs) {
    const problem = { code: 'too_big', origin: 'array', maximum: maxInputs, inclusive: true } as const
    return { path: [], input: value, problem }
  }
  if (value.length === 0 || typeof value[0] === 'number') return wrongTokens(value, [])
  const wrongEntry = Array.isArray(value[0]) ? wrongTokens : wrongText
  for (const [index, entry] of value.entries()) {
    const wrong = wrongEntry(entry, [index])
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function wrongText(input: unknown, path: number[]): Wrong | undefined {
  if (typeof input !== 'string') return { path, input, problem: { code: 'invalid_type', expected: 'string' } }
  if (input !== '') return undefined
  return { path, input, problem: { code: 'too_small', origin: 'string', minimum: 1, inclusive: true } }
}

function wrongTokens(input: unknown, path: number[]): Wrong | undefined {
  if (!Array.isArray(input)) return { path, input, problem: { code: 'invalid_type', expected: 'array' } }
  if (input.length === 0) {
    return { path, input, problem: { code: 'too_small', origin: 'array', minimum: 1, inclusive: true } }
  }
  const index = wrongTokenIn(input)
  if (index < 0) return undefined
  const token: unknown = input[index]
  const at = { path: [...path, index], input: token }
  if (!Number.isSafeInteger(token)) return { ...at, problem: { code: 'invalid_type', expected: 'int' } }
  return { ...at, problem: { code: 'too_small', origin: 'int', minimum: 0, inclusive: true } }
}

/** Where the first one is. A plain loop: there may be millions. */
function wrongTokenIn(tokens: readonly unknown[]): number {
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]
    if (!(Number.isSafeInteger(token) && (token as number) >= 0)) return index
  }
  return -1
}

export const EncodingFormat = z.enum(['float', 'base64']) // INF-092
export type EncodingFormat = z.infer<typeof EncodingFormat>

export const CreateEmbeddings = z.strictObject({
  input: InputForms, // INF-098
  model: z.string().min(1).max(maxModelLetters), // INF-099
  encoding_format: EncodingFormat.default('float'),
  dimensions: z.int().min(1).optional(),
  user: z.string().max(maxUserLetters).optional(), // INF-101
})
export type CreateEmbeddings = z.infer<typeof CreateEmbeddings>

// INF-089, INF-090, INF-091, INF-093
export const EmbeddingList = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      object: z.literal('embedding'),
      index: z.int().min(0),
      embedding: z.union([z.array(z.number()), z.base64()]),
    }),
  ),
  model: z.string(),
  usage: z.object({ prompt_tokens: z.int().min(0), total_tokens: z.int().min(0) }),
})
