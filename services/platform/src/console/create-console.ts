// The web console's way in, put together.
import { ownHosts } from '@atoll/kernel/http/own-host'
import type { RequestHead } from '@atoll/kernel/http/route'
import type { Kernel } from '@atoll/kernel/kernel'
import type { AuditLog } from '../audit/audit-log.ts'
import type { PlatformConfig } from '../config.ts'
import type { Authenticate, CallerOfKind } from '../identity/authenticate.ts'
import type { Identity } from '../identity/identity.ts'
import { activityOf } from './activity.ts'
import { FailedLogins } from './failed-logins.ts'
import { LoginLinks } from './links.ts'
import { type Neighbours, noNeighbours, Operation } from './operation.ts'
import { OperationLog } from './operation-log.ts'
import { isOfConsole } from './own-page.ts'
import { RecentRequests } from './recent-requests.ts'
import { consoleRoutes } from './routes.ts'
import { Console, projectHeader } from './service.ts'
import { consoleSockets } from './sockets.ts'

interface Parts {
  identity: Identity
  audit: AuditLog
  settings: PlatformConfig['console']
  neighbours?: Neighbours
}

export function createConsole(kernel: Kernel, { identity, audit, settings, neighbours = noNeighbours }: Parts) {
  const { db, ids, clock, limits, metrics, folder } = kernel
  const recent = new RecentRequests(clock)
  metrics.watchRequests((request) => recent.add(request))
  const links = new LoginLinks({ db, ids, clock })
  const isOwnHost = ownHosts(settings.hosts)
  const failedLogins = new FailedLogins(limits)
  const service = new Console({ db, ids, clock, identity, audit, failedLogins, links, isOwnHost })
  const operation = new Operation(service, neighbours, new OperationLog({ db, audit }))
  return {
    routes: consoleRoutes(service, operation, () => activityOf(recent, folder)),
    sockets: consoleSockets(operation),
    forwarding: operation.forwarding,
    /** For WebSockets of a project: a browser's cookie in place of a key. */
    sessions: {
      callerOf: (head: RequestHead, projectId: string) => service.socketCallerOf(head, projectId),
      recheckMs: operation.recheckMs,
    },
    links,
    isOwnHost,
    /** Who is calling: by a key, or by a session in its place. In a project, a session acts where it names one. */
    authenticate: <Kind extends keyof CallerOfKind>(
      head: RequestHead,
      needed: Kind,
    ): Promise<Awaited<ReturnType<Authenticate>>> => {
      if (!isOfConsole(head)) return identity.authenticate(head, needed)
      if (needed === 'admin') return service.callerOf(head)
      return head.headers[projectHeader] === undefined
        ? identity.authenticate(head, needed)
        : service.projectCallerOf(head)
    },
  }
}
