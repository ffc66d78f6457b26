import { z } from 'zod'
import { Metadata } from '../chat/completions/metadata/schema.ts'

export const batchEndpoints = ['/v1/chat/completions', '/v1/embeddings', '/v1/completions', '/v1/responses'] as const
export type BatchEndpoint = (typeof batchEndpoints)[number]

export const CreateBatch = z.strictObject({
  input_file_id: z.string().min(1).max(256),
  endpoint: z.enum(batchEndpoints), // INF-164
  completion_window: z.enum(['24h']), // INF-166
  metadata: Metadata.nullish(), // INF-167
})
export type CreateBatch = z.output<typeof CreateBatch>

export const BatchParams = z.strictObject({ batch_id: z.string() })

const time = z.int().nullable()

export const batchStatuses = [
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
] as const
export type BatchStatus = (typeof batchStatuses)[number]

/** What is wrong with a line of the input. */
export const BatchError = z.object({
  code: z.string(),
  message: z.string(),
  param: z.string().nullable(),
  line: z.int().nullable(),
})
export type BatchError = z.output<typeof BatchError>

export const BatchObject = z.object({
  id: z.string(),
  object: z.literal('batch'),
  endpoint: z.enum(batchEndpoints),
  errors: z.object({ object: z.literal('list'), data: z.array(BatchError) }).nullable(),
  input_file_id: z.string(),
  completion_window: z.literal('24h'),
  status: z.enum(batchStatuses),
  output_file_id: z.string().nullable(),
  error_file_id: z.string().nullable(),
  created_at: z.int(),
  in_progress_at: time,
  expires_at: time,
  finalizing_at: time,
  completed_at: time,
  failed_at: time,
  expired_at: time,
  cancelling_at: time,
  cancelled_at: time,
  request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
  metadata: Metadata.nullable(),
})
export type BatchObject = z.output<typeof BatchObject>
