import type { Queries } from '@atoll/kernel/db/database'
import { deleteInSlices } from '@atoll/kernel/db/slices'
import type { Severity } from './schema.ts'

export interface EventRow {
  id: string
  /** Milliseconds since the epoch. */
  at: number
  severity: Severity
  type: string
  originator: string
  object: string | null
  message: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    cluster_events: EventRow
  }
}

export interface EventQuery {
  since: number | undefined
  until: number | undefined
  order: 'asc' | 'desc'
  limit: number
  offset: number
}

export const insertEvent = (queries: Queries, row: EventRow) =>
  queries.insertInto('cluster_events').values(row).execute()

export function selectEvents(
  queries: Queries,
  { since, until, order, limit, offset }: EventQuery,
): Promise<EventRow[]> {
  let query = queries.selectFrom('cluster_events').selectAll()
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<=', until)
  return query.orderBy('at', order).orderBy('id', order).limit(limit).offset(offset).execute()
}

export const deleteEventsBefore = (queries: Queries, at: number) =>
  deleteInSlices((limit) => {
    const some = queries.selectFrom('cluster_events').select('id').where('at', '<', at).limit(limit)
    return queries.deleteFrom('cluster_events').where('id', 'in', some).returning('id').execute()
  })
