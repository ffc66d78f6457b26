import { z } from 'zod'

const maxInputs = 256
const maxTextLetters = 100_000
const maxModelLetters = 256
const mebibyte = 1024 * 1024

/** Of all texts of a request together. */
export const maxLettersInAll = 100_000
export const maxImages = 16
export const maxImageBytes = 20 * mebibyte
/** In base64, with what a data: URL says before it. */
const maxUrlLetters = Math.ceil((maxImageBytes * 4) / 3) + 1024

const Text = z.string().max(maxTextLetters) // INF-122

const InputPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: Text }),
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string().min(1).max(maxUrlLetters) }),
  }), // INF-123
])
export type InputPart = z.infer<typeof InputPart>

export const CreateModeration = z.strictObject({
  input: z
    .union([Text, z.array(Text).min(1).max(maxInputs), z.array(InputPart).min(1).max(maxInputs)])
    .meta({ expects: 'a string, an array of strings, or an array of text and image_url parts' }),
  model: z.string().min(1).max(maxModelLetters).default('omni-moderation-latest'),
})
export type CreateModeration = z.infer<typeof CreateModeration>

const forEach = <S extends z.ZodType>(categories: readonly string[], schema: S) =>
  z.object(Object.fromEntries(categories.map((category) => [category, schema])))

const olderCategories = [
  'harassment',
  'harassment/threatening',
  'sexual',
  'hate',
  'hate/threatening',
  'self-harm/intent',
  'self-harm/instructions',
  'self-harm',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const // INF-126, INF-127
const categories = [...olderCategories, 'illicit', 'illicit/violent'] as const // INF-128

const score = z.number().min(0).max(1)

// INF-124, INF-125
const Result = z.strictObject({
  flagged: z.boolean(),
  categories: forEach(categories, z.boolean()),
  category_scores: forEach(categories, score),
  category_applied_input_types: forEach(categories, z.array(z.enum(['text', 'image']))),
})
const OlderResult = z.strictObject({
  flagged: z.boolean(),
  categories: forEach(olderCategories, z.boolean()).strict(),
  category_scores: forEach(olderCategories, score).strict(),
})

/** Without `object`: typed clients know none here. INF-121 */
export const Moderation = z.object({
  id: z.string(),
  model: z.string(),
  results: z.union([z.array(Result), z.array(OlderResult)]),
})
export type Moderation = z.infer<typeof Moderation>
