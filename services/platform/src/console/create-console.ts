// The web console's way in, put together.
import type { RequestHead } from '@atoll/kernel/http/route'
import type { Kernel } from '@atoll/kernel/kernel'
import type { AuditLog } from '../audit/audit-log.ts'
import type { Authenticate, CallerOfKind } from '../identity/authenticate.ts'
import type { Identity } from '../identity/identity.ts'
import { FailedLogins } from './failed-logins.ts'
import { isOfConsole } from './own-page.ts'
import { consoleRoutes } from './routes.ts'
import { Console } from './service.ts'

export function createConsole(kernel: Kernel, parts: { identity: Identity; audit: AuditLog }) {
  const { db, ids, clock, limits } = kernel
  const service = new Console({ db, ids, clock, ...parts, failedLogins: new FailedLogins(limits) })
  return {
    routes: consoleRoutes(service),
    /** Who is calling: by a key, or for administration by a session in its place. */
    authenticate: <Kind extends keyof CallerOfKind>(
      head: RequestHead,
      needed: Kind,
    ): Promise<Awaited<ReturnType<Authenticate>>> =>
      needed === 'admin' && isOfConsole(head) ? service.callerOf(head) : parts.identity.authenticate(head, needed),
  }
}
