// Usage, costs and rate limits put together, as administrators see them.
import type { Kernel } from '@atoll/kernel/kernel'
import type { AuditLog } from '../../../audit/audit-log.ts'
import type { PlatformConfig } from '../../../config.ts'
import { StorageUse } from '../../../inference/usage/storage.ts'
import type { ProjectLimits } from '../../../rate-limits/project-limits.ts'
import type { RateLimits } from '../../../rate-limits/rate-limits.ts'
import { costRoutes } from '../costs/routes.ts'
import { Costs } from '../costs/service.ts'
import { rateLimitRoutes } from '../projects/rate-limits/routes.ts'
import { ProjectRateLimits } from '../projects/rate-limits/service.ts'
import { usageRoutes } from './routes.ts'
import { Usage } from './service.ts'

interface Parts {
  config: PlatformConfig
  audit: AuditLog
  limits: RateLimits
  projectLimits: ProjectLimits
}

export function createUsageRoutes({ db, clock, jobs }: Kernel, { config, audit, limits, projectLimits }: Parts) {
  const storage = new StorageUse({ db, clock, gigabyteDayPrice: config.prices.vectorStoreGigabyteDay })
  storage.keepMeasuring(jobs)
  const models = config.models.map(({ id }) => id)
  return [
    ...usageRoutes(new Usage({ db, clock, storage })),
    ...costRoutes(new Costs({ db, clock, storage })),
    ...rateLimitRoutes(new ProjectRateLimits({ db, audit, limits, projectLimits, models })),
  ]
}
