// Puts every administrative call on record: before anything is done, and how it ended. A call that a crash cut off
// has the first entry only.
import { HttpError } from '@atoll/kernel/http/error'
import { Reply } from '@atoll/kernel/http/reply'
import type { Exchange, Route } from '@atoll/kernel/http/route'
import type { ClusterCallers, ClusterUser } from '../callers.ts'
import type { Audit, AuditEntry } from './audit.ts'
import { shownDetails } from './details.ts'

type AnyExchange = Exchange<unknown, unknown, unknown, unknown>

/** They change nothing. */
const logIns: readonly string[] = ['/v1/users/authorize', '/v1/users/refresh_jwt']

export const audited = (audit: Audit, routes: readonly Route<ClusterCallers>[]): Route<ClusterCallers>[] =>
  routes.map((route) => (route.method === 'GET' || logIns.includes(route.path) ? route : withAudit(audit, route)))

function withAudit(audit: Audit, route: Route<ClusterCallers>): Route<ClusterCallers> {
  return {
    ...route,
    async handler(exchange) {
      const entry = entryOf(exchange)
      await audit.record(undefined, { ...entry, status: 0, details: shownDetails(exchange.body) })
      try {
        const result = await route.handler(exchange)
        await recordEnd(exchange, audit, { ...entry, status: statusOf(result, route) })
        return result
      } catch (error) {
        const status = error instanceof HttpError ? error.status : 500
        const details = error instanceof HttpError ? { message: error.message } : {}
        await recordEnd(exchange, audit, { ...entry, status, details })
        throw error
      }
    },
  }
}

function entryOf({ id: requestId, caller, address, method, path }: AnyExchange) {
  const user = caller as ClusterUser | null
  return { requestId, user: user?.email ?? '', role: user?.role ?? '', address, method, path }
}

/** What was done is done, and that it began is on record: the caller hears how it ended all the same. */
async function recordEnd({ log }: AnyExchange, audit: Audit, entry: AuditEntry): Promise<void> {
  await audit.record(undefined, entry).catch((error: unknown) => {
    log.error({ error, path: entry.path, status: entry.status }, 'The end of a call could not be put on record')
  })
}

function statusOf(result: unknown, route: Route<ClusterCallers>): number {
  if (!(result instanceof Reply)) return route.status
  return 'status' in result.content ? result.content.status : 200
}
