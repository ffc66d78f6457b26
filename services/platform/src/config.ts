// The platform's section of the configuration.
import { z } from 'zod'
import { defaultModels } from './default-models.ts'

const gibibyte = 1024 ** 3

const Limit = z.strictObject({
  requestsPerMinute: z.int().min(1).optional(),
  tokensPerMinute: z.int().min(1).optional(),
  imagesPerMinute: z.int().min(1).optional(),
})

/** Generous by default: on one's own machine limits protect against runaway loops, not against customers. */
const defaultLimits = { requestsPerMinute: 600_000, tokensPerMinute: 100_000_000, imagesPerMinute: 10_000 }

export const PlatformConfig = z.strictObject({
  maxJsonBytes: z
    .int()
    .min(1024)
    .default(32 * 1024 * 1024),
  files: z
    .strictObject({
      maxOrganizationBytes: z
        .int()
        .min(1)
        .default(100 * gibibyte),
    })
    .prefault({}), // INF-210
  /** The ids callers can name. Absent: the well-known ones. */
  models: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(256),
        ownedBy: z.string().default('atoll'),
        created: z.int().min(0).default(0),
        limits: Limit.prefault({}),
      }),
    )
    .prefault(defaultModels),
  rateLimits: z
    .strictObject({
      requestsPerMinute: z.int().min(1).default(defaultLimits.requestsPerMinute),
      tokensPerMinute: z.int().min(1).default(defaultLimits.tokensPerMinute),
      imagesPerMinute: z.int().min(1).default(defaultLimits.imagesPerMinute),
      /** By project id; they win over a model's own. */
      projects: z.record(z.string(), Limit).default({}),
    })
    .prefault({}),
})
export type PlatformConfig = z.output<typeof PlatformConfig>
