// Everything under /hooks-admin: for whoever looks after the gateway. Every change goes on record.
import type { Route } from '@atoll/kernel/http/route'
import type { HooksCallers } from '../callers.ts'
import { Audit } from './audit/audit.ts'
import { audited } from './audit/audited.ts'
import { auditRoutes } from './audit/routes.ts'
import { deadLetterRoutes } from './dead-letters/routes.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { heartbeatRoutes } from './heartbeat/routes.ts'
import { mappingRoutes } from './mappings/routes.ts'
import { outboxRoutes } from './outbox/routes.ts'
import type { AdminParts } from './parts.ts'
import { pauseRoutes } from './pauses/routes.ts'
import { routeRoutes } from './route/routes.ts'
import { runRoutes } from './runs/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { statusRoutes } from './status/routes.ts'

export function adminRoutes(parts: AdminParts): Route<HooksCallers>[] {
  const { kernel, desk, mappings, agent, outbox } = parts
  const audit = new Audit(kernel)
  return audited(audit, [
    ...statusRoutes(parts),
    ...deliveryRoutes(desk),
    ...runRoutes(desk, agent),
    ...deadLetterRoutes(parts),
    ...pauseRoutes(desk, mappings),
    ...mappingRoutes(parts),
    ...sessionRoutes(agent),
    ...heartbeatRoutes(agent),
    ...routeRoutes(parts),
    ...outboxRoutes(outbox),
    ...auditRoutes(audit),
  ])
}
