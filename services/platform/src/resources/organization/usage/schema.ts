import { z } from 'zod'

const count = z.int().min(0)
const group = z.string().nullable() // AST-271

/** What calls of models can be told apart by. */
const ofCalls = { num_model_requests: count, project_id: group, user_id: group, api_key_id: group, model: group }

const result = <Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
  z.object({ object: z.literal(`organization.usage.${kind}.result`), ...shape })

const tokens = { input_tokens: count, ...ofCalls }

/** By the last part of their path. */
export const usageResults = {
  // AST-272
  completions: result('completions', {
    ...tokens,
    output_tokens: count,
    input_cached_tokens: count,
    batch: z.boolean().nullable(),
  }),
  embeddings: result('embeddings', tokens), // AST-273
  moderations: result('moderations', tokens), // AST-274
  images: result('images', { images: count, size: group, source: group, ...ofCalls }), // AST-275
  audio_speeches: result('audio_speeches', { characters: count, ...ofCalls }), // AST-277
  audio_transcriptions: result('audio_transcriptions', { seconds: count, ...ofCalls }), // AST-278
  vector_stores: result('vector_stores', { usage_bytes: count, project_id: group }), // AST-279
  code_interpreter_sessions: result('code_interpreter_sessions', { sessions: count, project_id: group }), // AST-280
}

export type UsageKind = keyof typeof usageResults

/** A page of buckets of time. AST-265, AST-266 */
export const pageOfBuckets = <Result extends z.ZodType>(results: Result) =>
  z.object({
    object: z.literal('page'),
    data: z.array(
      z.object({
        object: z.literal('bucket'),
        start_time: z.int(),
        end_time: z.int(),
        results: z.array(results),
      }),
    ),
    has_more: z.boolean(),
    next_page: z.string().nullable(),
  })

export interface BucketPage<Result> {
  object: 'page'
  data: { object: 'bucket'; start_time: number; end_time: number; results: Result[] }[]
  has_more: boolean
  next_page: string | null
}
