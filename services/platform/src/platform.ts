// The platform put together: identity, limits and resources behind one HTTP service.
import type { HttpService } from '@atoll/kernel/http/service'
import type { Kernel } from '@atoll/kernel/kernel'
import type { PlatformCallers } from './callers.ts'
import type { PlatformConfig } from './config.ts'
import { kernelErrors } from './errors.ts'
import { createIdentity, type Identity } from './identity/identity.ts'
import { answerIdentityProblem } from './identity-answer.ts'
import { RateLimits } from './rate-limits/rate-limits.ts'
import { fileRoutes } from './resources/files/routes.ts'
import { Files } from './resources/files/service.ts'
import { modelRoutes } from './resources/models/routes.ts'
import { Models } from './resources/models/service.ts'
import { uploadRoutes } from './resources/uploads/routes.ts'
import { Uploads } from './resources/uploads/service.ts'
import { standardHeaders } from './standard-headers.ts'

const expireUploadsEverySeconds = 60

export interface Platform {
  service: HttpService<PlatformCallers>
  identity: Identity
  rateLimits: RateLimits
  files: Files
  uploads: Uploads
  models: Models
  close(): Promise<void>
}

export function createPlatform(kernel: Kernel, config: PlatformConfig): Platform {
  const { db, segments, ids, clock, jobs } = kernel
  const identity = createIdentity(kernel)
  const rateLimits = new RateLimits(kernel.limits, config)
  const files = new Files({ db, segments, ids, clock, settings: config.files })
  const uploads = new Uploads({ db, segments, files, ids, clock })
  const configured = config.models.map(({ id, ownedBy, created }) => ({ id, owned_by: ownedBy, created }))
  const models = new Models({ db, events: kernel.events, clock, configured })
  jobs.registerPeriodic('expire-uploads', expireUploadsEverySeconds, async () => {
    await uploads.expireOverdue()
  })
  const service: HttpService<PlatformCallers> = {
    name: 'platform',
    title: 'Atoll platform',
    version: 'v1',
    errors: kernelErrors,
    routes: [...modelRoutes(models), ...fileRoutes(files), ...uploadRoutes(uploads)],
    async authenticate(head, auth) {
      if (auth === 'public') return null
      return identity.authenticate(head, auth).catch(answerIdentityProblem)
    },
    admit: async (caller) => (caller?.kind === 'project' ? rateLimits.admit(caller) : {}),
    responseHeaders: standardHeaders,
    maxJsonBytes: config.maxJsonBytes,
  }
  const close = (): Promise<void> => {
    models.close()
    return identity.close()
  }
  return { service, identity, rateLimits, files, uploads, models, close }
}
