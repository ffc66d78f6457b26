// The queries of usage: what every kind takes, and what only some do.
import { booleanParam, integerParam, listParam, requiredInteger } from '@atoll/kernel/http/query'
import { z } from 'zod'
import { imageSources } from '../../../inference/usage/event.ts'

/** The end of the year 9999. */
const lastSecond = 253_402_300_799
const maxPageLetters = 256
const maxIdLetters = 256

/** Of usage and of costs. AST-267, AST-283, AST-284, AST-288 */
export const spanParams = {
  start_time: requiredInteger({ min: 0, max: lastSecond }),
  end_time: integerParam({ min: 0, max: lastSecond }),
  page: z.string().min(1).max(maxPageLetters).optional(),
}

const id = z.string().min(1).max(maxIdLetters)
export const idsParam = () => listParam(id)

const imageSizes = ['256x256', '512x512', '1024x1024', '1792x1024', '1792x1792', '1024x1792']
const groupParam = <Name extends string>(...names: Name[]) => listParam(z.enum(names))

const common = {
  ...spanParams,
  bucket_width: z.enum(['1m', '1h', '1d']).default('1d'), // AST-268
  limit: integerParam({ min: 1, max: 1440 }),
  project_ids: idsParam(),
}
const ofCalls = { ...common, user_ids: idsParam(), api_key_ids: idsParam(), models: idsParam() }

export const StoredQuery = z.strictObject({ ...common, group_by: groupParam('project_id') })

export const CallsQuery = z.strictObject({
  ...ofCalls,
  group_by: groupParam('project_id', 'user_id', 'api_key_id', 'model'),
})

export const CompletionsQuery = z.strictObject({
  ...ofCalls,
  batch: booleanParam(),
  group_by: groupParam('project_id', 'user_id', 'api_key_id', 'model', 'batch'),
})

export const ImagesQuery = z.strictObject({
  ...ofCalls,
  sources: listParam(z.enum(imageSources)),
  sizes: listParam(z.enum(imageSizes)),
  group_by: groupParam('project_id', 'user_id', 'api_key_id', 'model', 'size', 'source'),
})

/** Whatever kind is asked for. */
export type UsageQuery = z.output<typeof StoredQuery> &
  Partial<Omit<z.output<typeof CompletionsQuery>, 'group_by'>> &
  Partial<Omit<z.output<typeof ImagesQuery>, 'group_by'>>
