// Organization administration put together.
import type { Queries } from '@atoll/kernel/db/database'
import type { Route } from '@atoll/kernel/http/route'
import type { AuditLog } from '../../audit/audit-log.ts'
import type { AdminCaller, PlatformCallers } from '../../callers.ts'
import { answerOrganizationProblem } from '../../errors/organization.ts'
import { runtimeErrors } from '../../errors/runtimes.ts'
import type { Identity } from '../../identity/identity.ts'
import { findOldestOrganization } from '../../identity/organizations/store.ts'
import { adminApiKeyRoutes } from './admin-api-keys/routes.ts'
import { AdminApiKeys } from './admin-api-keys/service.ts'
import { auditLogRoutes } from './audit-logs/routes.ts'
import { AuditLogs } from './audit-logs/service.ts'
import { inviteRoutes } from './invites/routes.ts'
import { Invites } from './invites/service.ts'
import { modelFileRoutes } from './model-files/routes.ts'
import type { ModelFiles } from './model-files/service.ts'
import { projectApiKeyRoutes } from './projects/api-keys/routes.ts'
import { ProjectApiKeys } from './projects/api-keys/service.ts'
import { projectRoutes } from './projects/routes.ts'
import { Projects } from './projects/service.ts'
import { serviceAccountRoutes } from './projects/service-accounts/routes.ts'
import { ServiceAccounts } from './projects/service-accounts/service.ts'
import { projectUserRoutes } from './projects/users/routes.ts'
import { ProjectUsers } from './projects/users/service.ts'
import { runtimeRoutes } from './runtimes/routes.ts'
import type { Runtimes } from './runtimes/service.ts'
import { serverRoutes } from './server/routes.ts'
import type { Server } from './server/service.ts'
import { userRoutes } from './users/routes.ts'
import { Users } from './users/service.ts'

interface Parts {
  identity: Identity
  audit: AuditLog
  queries: Queries
  /** Of usage, costs and rate limits. */
  usageRoutes: Route<PlatformCallers>[]
  runtimes: Runtimes
  modelFiles: ModelFiles
  /** Absent where nobody knows its facts: a platform inside a test has neither a configuration file nor a doctor. */
  server: Server | undefined
}

export function createOrganization(parts: Parts): Route<PlatformCallers>[] {
  const { identity, audit, queries, usageRoutes, runtimes, modelFiles, server } = parts
  const routes = [
    ...inviteRoutes(new Invites(identity)),
    ...userRoutes(new Users(identity)),
    ...projectRoutes(new Projects(identity)),
    ...projectUserRoutes(new ProjectUsers(identity)),
    ...serviceAccountRoutes(new ServiceAccounts(identity)),
    ...projectApiKeyRoutes(new ProjectApiKeys(identity)),
    ...adminApiKeyRoutes(new AdminApiKeys(identity)),
    ...usageRoutes,
    ...[...runtimeRoutes(runtimes), ...modelFileRoutes(modelFiles), ...(server ? serverRoutes(server) : [])].map(
      (route) => forOperators(route, queries),
    ),
    ...auditLogRoutes(new AuditLogs({ queries, audit })),
  ]
  return routes.map(answeringProblems)
}

/** What is the server's own is for the administrators of the organization that runs it: the first one. */
const forOperators = (route: Route<PlatformCallers>, queries: Queries): Route<PlatformCallers> => ({
  ...route,
  handler: async (exchange) => {
    const { organizationId } = exchange.caller as AdminCaller
    if ((await findOldestOrganization(queries))?.id !== organizationId) throw runtimeErrors.notOperator()
    return route.handler(exchange)
  },
})

/** What identity refuses becomes an answer. */
const answeringProblems = (route: Route<PlatformCallers>): Route<PlatformCallers> => ({
  ...route,
  handler: async (exchange) => {
    try {
      return await route.handler(exchange)
    } catch (error) {
      return answerOrganizationProblem(error)
    }
  },
})
