// Puts every change on record: before anything is done, and how it ended. One that a crash cut off has the first entry
// only.
import { HttpError } from '@atoll/kernel/http/error'
import { Reply } from '@atoll/kernel/http/reply'
import type { Exchange, Route } from '@atoll/kernel/http/route'
import type { HooksCallers } from '../../callers.ts'
import type { Audit, AuditEntry } from './audit.ts'

type AnyExchange = Exchange<unknown, unknown, unknown, unknown>

/** `/test` of a mapping changes nothing. */
const changesNothing = ({ method, path }: Route<HooksCallers>): boolean => method === 'GET' || path.endsWith('/test')

export const audited = (audit: Audit, routes: readonly Route<HooksCallers>[]): Route<HooksCallers>[] =>
  routes.map((route) => (changesNothing(route) ? route : withAudit(audit, route)))

function withAudit(audit: Audit, route: Route<HooksCallers>): Route<HooksCallers> {
  return {
    ...route,
    async handler(exchange) {
      const { id: requestId, address, method, path, body } = exchange
      const entry = { requestId, address, method, path }
      await audit.record(undefined, { ...entry, status: 0, ...(body === undefined ? {} : { details: body }) })
      try {
        const result = await route.handler(exchange)
        await recordEnd(exchange, audit, { ...entry, status: statusOf(result, route), ...madeId(result) })
        return result
      } catch (error) {
        const known = error instanceof HttpError ? error : undefined
        const details = { message: known?.message ?? 'an internal error' }
        await recordEnd(exchange, audit, { ...entry, status: known?.status ?? 500, details })
        throw error
      }
    },
  }
}

/** What was done is done, and that it began is on record: the caller hears how it ended all the same. */
async function recordEnd({ log }: AnyExchange, audit: Audit, entry: AuditEntry): Promise<void> {
  await audit.record(undefined, entry).catch((error: unknown) => {
    log.error({ err: error, path: entry.path, status: entry.status }, 'The end of a change could not be put on record')
  })
}

const statusOf = (result: unknown, route: Route<HooksCallers>): number =>
  result instanceof Reply && 'status' in result.content ? result.content.status : route.status

/** Of what came into being by it. */
function madeId(result: unknown): { details?: { id: string } } {
  const isMade = typeof result === 'object' && result !== null && 'id' in result && typeof result.id === 'string'
  return isMade ? { details: { id: result.id as string } } : {}
}
