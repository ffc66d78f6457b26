import { z } from 'zod'

const mebibyte = 1024 * 1024

/** Of an image and of its mask. */
export const maxImageBytes = 4 * mebibyte
const maxUserLetters = 1_000
const maxModelLetters = 256
const maxPictures = 10

const defaultModel = 'dall-e-2'
const defaultSize = '1024x1024'

export const imageSizes = ['256x256', '512x512', '1024x1024', '1792x1024', '1024x1792'] as const
export const ImageSize = z.enum(imageSizes)
export type ImageSize = z.infer<typeof ImageSize>

const Model = z.string().min(1).max(maxModelLetters)
const Prompt = z.string().min(1)
const User = z.string().max(maxUserLetters)
const Count = z.int().min(1).max(maxPictures)
const ResponseFormat = z.enum(['url', 'b64_json'])

const or = <S extends z.ZodType>(schema: S, fallback: z.output<S>) =>
  schema.nullish().transform((value): z.output<S> => value ?? fallback)

// INF-107, INF-113
export const CreateImage = z.strictObject({
  prompt: Prompt,
  model: or(Model, defaultModel),
  n: or(Count, 1),
  quality: z.enum(['standard', 'hd']).nullish(),
  response_format: or(ResponseFormat, 'url'),
  size: or(ImageSize, defaultSize),
  style: z.enum(['vivid', 'natural']).nullish(),
  user: User.nullish(),
})
export type CreateImage = z.output<typeof CreateImage>

/** In a form a number is text. */
const FormCount = z
  .string()
  .regex(/^\d{1,9}$/)
  .meta({ expects: `a whole number from 1 to ${maxPictures}` })
  .transform(Number)
  .pipe(Count)

/** What edits and variations have in common. */
const FormFields = z.strictObject({
  model: Model.default(defaultModel),
  n: FormCount.default(1),
  response_format: ResponseFormat.default('url'),
  size: ImageSize.default(defaultSize),
  user: User.optional(),
})
export type FormFields = z.output<typeof FormFields>

// INF-108
export const EditImageFields = FormFields.extend({ prompt: Prompt })
export type EditImageFields = z.output<typeof EditImageFields>

// INF-109
export const VaryImageFields = FormFields

/** Without `object`: typed clients know none here. INF-110 */
export const ImagesResponse = z.object({
  created: z.int(),
  data: z.array(
    z.object({ url: z.string().optional(), b64_json: z.string().optional(), revised_prompt: z.string().optional() }),
  ),
})
export type ImagesResponse = z.infer<typeof ImagesResponse>

export const ImageParams = z.strictObject({ image_id: z.string() })
export const ImageQuery = z.object({
  expires: z.string().regex(/^\d{1,12}$/),
  signature: z.string().regex(/^[\w-]{43}$/),
})
export type ImageQuery = z.infer<typeof ImageQuery>
