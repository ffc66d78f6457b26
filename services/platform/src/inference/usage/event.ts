// What one call of a model, or one session of code, used. Its keys are the columns of the table, and what a line of
// the journal holds.
import { z } from 'zod'

const count = z.int().min(0)
// A journal that an earlier version left behind has none of these.
const newCount = count.default(0)

export const imageSources = ['image.generation', 'image.edit', 'image.variation'] as const

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
  images: newCount,
  /** Of images: `1024x1024`, and one of `imageSources`; empty otherwise. */
  size: z.string().default(''),
  source: z.string().default(''),
  /** Of text that was spoken. */
  characters: newCount,
  /** Of speech that was written down. */
  audio_ms: newCount,
  /** By the price list of that moment, in billionths of a US dollar. What is not counted in tokens is output. */
  input_cost: newCount,
  cached_input_cost: newCount,
  output_cost: newCount,
})
export type UsageEvent = z.output<typeof UsageEvent>
