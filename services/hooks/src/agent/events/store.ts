import type { Database, Queries } from '@atoll/kernel/db/database'
import { deleteInSlices } from '@atoll/kernel/db/slices'
import { statementText, valuesOf } from '@atoll/kernel/db/statement-text'
import { CompiledQuery, sql } from 'kysely'
import type { Trust, WakeMode } from '../../actions.ts'

export interface EventRow {
  id: string
  position: number
  text: string
  source: string
  trust: Trust
  mode: WakeMode
  /** 0 or 1: to be shown without a wrapper. */
  is_unsafe: number
  delivery_id: string | null
  /** Milliseconds since the epoch. */
  created_at: number
  /** `shown`: in the prompt of a turn that has not ended. */
  state: 'open' | 'shown' | 'consumed'
  /** The turn that shows it, or has shown it. */
  consumed_by: string | null
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    hooks_events: EventRow
  }
}

const columns = [
  ...(['id', 'position', 'text', 'source', 'trust', 'mode', 'is_unsafe', 'delivery_id'] as const),
  ...(['created_at', 'state', 'consumed_by'] as const),
] as const satisfies readonly (keyof EventRow)[]

const blank = Object.fromEntries(columns.map((column) => [column, ''])) as unknown as EventRow

export async function insertEvents(queries: Queries, kind: Database['kind'], rows: readonly EventRow[]): Promise<void> {
  const text = statementText(`${kind} events ${rows.length}`, () =>
    queries.insertInto('hooks_events').values(rows.map(() => blank)),
  )
  await queries.executeQuery(CompiledQuery.raw(text, valuesOf(rows, columns)))
}

export const openEvents = (queries: Queries, limit: number) =>
  queries
    .selectFrom('hooks_events')
    .selectAll()
    .where('state', '=', 'open')
    .orderBy('position')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Said as in the condition of their index, which holds nothing else. */
export async function hasUrgentEvent(queries: Queries): Promise<boolean> {
  const open = queries.selectFrom('hooks_events').select('id').where('state', '=', sql.lit('open'))
  const urgent = open.where('mode', '=', sql.lit('now'))
  return (await urgent.limit(1).executeTakeFirst()) !== undefined
}

export async function countOpenEvents(queries: Queries): Promise<number> {
  const all = queries.selectFrom('hooks_events').select(({ fn }) => fn.countAll<number | string>().as('count'))
  return Number((await all.where('state', 'in', ['open', 'shown']).executeTakeFirstOrThrow()).count)
}

export const showEvents = (queries: Queries, ids: readonly string[], turnId: string) =>
  queries
    .updateTable('hooks_events')
    .set({ state: 'shown', consumed_by: turnId })
    .where('id', 'in', ids)
    .where('state', '=', 'open')
    .execute()

export const consumeEvents = (queries: Queries, turnId: string) =>
  queries.updateTable('hooks_events').set({ state: 'consumed' }).where('consumed_by', '=', turnId).execute()

/** Their turn came to nothing: they are for the next one. */
export const reopenEvents = (queries: Queries, turnId: string) =>
  queries
    .updateTable('hooks_events')
    .set({ state: 'open', consumed_by: null })
    .where('consumed_by', '=', turnId)
    .where('state', '=', 'shown')
    .execute()

/** Ids are in the order of their positions. */
export const newestEvents = (queries: Queries, limit: number) =>
  queries.selectFrom('hooks_events').selectAll().orderBy('id', 'desc').limit(limit).execute()

export const deleteConsumedEvents = (queries: Queries, before: number) =>
  deleteInSlices((limit) => {
    const old = queries.selectFrom('hooks_events').select('id').where('state', '=', 'consumed')
    const some = old.where('created_at', '<', before).limit(limit)
    return queries.deleteFrom('hooks_events').where('id', 'in', some).returning('id').execute()
  })
