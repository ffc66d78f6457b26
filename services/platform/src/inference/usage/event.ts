// What one call of a model used. Its keys are the columns of the table, and what a line of the journal holds.
import { z } from 'zod'

const count = z.int().min(0)

export const UsageEvent = z.strictObject({
  id: z.string(),
  /** Unix seconds. */
  created_at: count,
  organization_id: z.string(),
  project_id: z.string(),
  /** One of the two is null. */
  user_id: z.string().nullable(),
  service_account_id: z.string().nullable(),
  api_key_id: z.string(),
  operation: z.string(),
  /** The public id it was asked by, and what really answered. */
  model: z.string(),
  answered_by: z.string(),
  requests: count,
  input_tokens: count,
  cached_input_tokens: count,
  output_tokens: count,
  /** 1 or 0. */
  batch: count,
})
export type UsageEvent = z.output<typeof UsageEvent>
