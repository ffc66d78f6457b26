import { z } from 'zod'

export const RateLimitParams = z.strictObject({ project_id: z.string(), rate_limit_id: z.string() })
export type RateLimitParams = z.infer<typeof RateLimitParams>

// AST-253
export const RateLimitObject = z.object({
  object: z.literal('project.rate_limit'),
  id: z.string(),
  model: z.string(),
  max_requests_per_1_minute: z.int(),
  max_tokens_per_1_minute: z.int(),
  max_images_per_1_minute: z.int(),
  /** Only where one is set. */
  max_requests_per_1_day: z.int().optional(),
})
export type RateLimitObject = z.infer<typeof RateLimitObject>

/** 0: none at all, so that a project can be kept from a model. */
const limit = z.int().min(0).optional()

export const UpdateRateLimit = z.strictObject({
  max_requests_per_1_minute: limit,
  max_tokens_per_1_minute: limit,
  max_images_per_1_minute: limit,
  max_requests_per_1_day: limit,
  /** Known, so that they are refused in words that tell why. */
  max_audio_megabytes_per_1_minute: limit,
  batch_1_day_max_input_tokens: limit,
})
export type UpdateRateLimit = z.infer<typeof UpdateRateLimit>
