import type { Queries } from '@atoll/kernel/db/database'
import { sql } from 'kysely'

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
  range: LogRange,
): Promise<{ entry: string }[]> {
  const direction = range.from === 'newest' ? 'desc' : 'asc'
  return queries
    .selectFrom(foundIn(queries, organizationId, filters, range).as('found'))
    .innerJoin('audit_entries as chained', (join) =>
      join.onRef('chained.seq', '=', 'found.seq').on('chained.chain', '=', chain),
    )
    .select('chained.entry as entry')
    .orderBy('found.seq', direction)
    .execute()
}

/** Through the indexes, and among the newest that they do not know yet. Both in one statement: entries move over. */
function foundIn(queries: Queries, organizationId: string, filters: LogFilters, range: LogRange) {
  const { olderThan, newerThan, limit, from } = range
  const direction = from === 'newest' ? 'desc' : 'asc'
  let all = filtered(queries, organizationId, filters).select('log.seq as seq')
  if (olderThan !== undefined) all = all.where('log.seq', '<', olderThan)
  if (newerThan !== undefined) all = all.where('log.seq', '>', newerThan)
  if (Object.keys(filters).length === 0) return all.orderBy('seq', direction).limit(limit + 1)
  const indexedUpTo = sql<number>`coalesce(
    (select indexed_up_to from audit_activations where organization_id = ${organizationId}), 0)`
  // The plus keeps SQLite from reading everything in order of seq: the indexes of the filters are for this.
  const known = all.where(sql<boolean>`log.indexed = 1 and +log.seq <= ${indexedUpTo}`)
  const newest = all.where('log.seq', '>', indexedUpTo)
  return known
    .unionAll(newest)
    .orderBy('seq', direction)
    .limit(limit + 1)
}
