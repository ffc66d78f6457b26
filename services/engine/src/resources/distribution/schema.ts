import { z } from 'zod'

export const DistributionParams = z.object({ name: z.string() })

export const DistributionInspect = z.object({
  Descriptor: z.object({
    mediaType: z.string(),
    digest: z.string(),
    size: z.number(),
    urls: z.array(z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  Platforms: z.array(
    z.object({
      architecture: z.string(),
      os: z.string(),
      'os.version': z.string().optional(),
      'os.features': z.array(z.string()).optional(),
      variant: z.string().optional(),
    }),
  ),
})
