// Realtime put together: the socket, and short-lived keys for it.
import type { Kernel } from '@atoll/kernel/kernel'
import type { PlatformConfig } from '../../config.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Inference } from '../../inference/inference.ts'
import { type ConsoleSessions, realtimeAuthenticate } from './authenticate.ts'
import { clientSecretRoutes } from './client-secrets/routes.ts'
import { ClientSecrets } from './client-secrets/service.ts'
import { realtimeSockets } from './sockets.ts'

interface Parts {
  identity: Identity
  inference: Inference
  settings: PlatformConfig['realtime']
  /** Browsers that are logged in to the console. */
  sessions: ConsoleSessions
}

export function createRealtime(kernel: Kernel, { identity, inference, settings, sessions }: Parts) {
  const { db, ids, clock } = kernel
  const secrets = new ClientSecrets({
    ...{ db, ids, clock, identity, inference },
    transcriptionModel: settings.transcriptionModel,
  })
  return {
    routes: clientSecretRoutes(secrets),
    sockets: realtimeSockets({ ids, clock, identity, inference, settings, sessions }),
    authenticate: realtimeAuthenticate(identity, secrets, sessions),
  }
}
