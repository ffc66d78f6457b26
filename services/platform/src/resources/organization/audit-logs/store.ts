import type { Queries } from '@atoll/kernel/db/database'

export interface LogFilters {
  types?: readonly string[]
  projectIds?: readonly string[]
  /** Of users, service accounts or keys. */
  actorIds?: readonly string[]
  /** In lower case. */
  actorEmails?: readonly string[]
  resourceIds?: readonly string[]
  effectiveAt?: { gt?: number | undefined; gte?: number | undefined; lt?: number | undefined; lte?: number | undefined }
}

/** Numbers of entries in the chain, which only grows: exact cursors. */
export interface LogRange {
  olderThan?: number
  newerThan?: number
  limit: number
  /** Which end of the range the page is taken from. */
  from: 'newest' | 'oldest'
}

export const findSeq = (queries: Queries, organizationId: string, id: string) =>
  queries
    .selectFrom('audit_logs')
    .select('seq')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function filtered(queries: Queries, organizationId: string, filters: LogFilters) {
  let found = queries.selectFrom('audit_logs as log').where('log.organization_id', '=', organizationId)
  const { types, projectIds, actorIds, actorEmails, resourceIds, effectiveAt = {} } = filters
  if (types) found = found.where('log.type', 'in', types)
  if (projectIds) found = found.where('log.project_id', 'in', projectIds)
  if (actorEmails) found = found.where('log.actor_email', 'in', actorEmails)
  if (resourceIds) found = found.where('log.resource_id', 'in', resourceIds)
  if (actorIds) {
    found = found.where((log) => log.or([log('log.actor_id', 'in', actorIds), log('log.actor_key_id', 'in', actorIds)]))
  }
  for (const name of ['gt', 'gte', 'lt', 'lte'] as const) {
    const bound = effectiveAt[name]
    if (bound !== undefined) found = found.where('log.effective_at', operators[name], bound)
  }
  return found
}

/** The chained entries themselves, one more than the limit when there are more. */
export function findEntries(
  queries: Queries,
  { organizationId, chain }: { organizationId: string; chain: string },
  filters: LogFilters,
  { olderThan, newerThan, limit, from }: LogRange,
): Promise<{ entry: string }[]> {
  let found = filtered(queries, organizationId, filters)
  if (olderThan !== undefined) found = found.where('log.seq', '<', olderThan)
  if (newerThan !== undefined) found = found.where('log.seq', '>', newerThan)
  return found
    .innerJoin('audit_entries as chained', (join) =>
      join.onRef('chained.seq', '=', 'log.seq').on('chained.chain', '=', chain),
    )
    .select('chained.entry as entry')
    .orderBy('log.seq', from === 'newest' ? 'desc' : 'asc')
    .limit(limit + 1)
    .execute()
}
