import { integerParamOr, listParam } from '@atoll/kernel/http/query'
import { z } from 'zod'
import { idsParam, spanParams } from '../usage/query.ts'

export const CostsQuery = z.strictObject({
  ...spanParams,
  bucket_width: z.enum(['1d']).default('1d'), // AST-285
  group_by: listParam(z.enum(['project_id', 'line_item', 'api_key_id'])), // AST-286, and what later clients ask
  project_ids: idsParam(),
  api_key_ids: idsParam(),
  limit: integerParamOr(7, { min: 1, max: 180 }),
})
export type CostsQuery = z.output<typeof CostsQuery>
