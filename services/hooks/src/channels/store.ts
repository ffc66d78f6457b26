// The outbox as it lies in the database, and the main session's last recipient.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import { deleteInSlices } from '@atoll/kernel/db/slices'
import type { ChannelKind } from '../actions.ts'
import type { Target } from '../ports.ts'

export type OutboxState =
  | 'pending'
  /** In the hands of a node: from here on it may have reached the other side. */
  | 'sending'
  | 'sent'
  | 'dead'

export interface OutboxRow {
  id: string
  position: number
  channel: ChannelKind
  recipient: string
  text: string
  /** Of the delivery or heartbeat that it answers. */
  origin: string
  dedupe: string
  state: OutboxState
  /** How many of the messages it takes are out. */
  parts_sent: number
  attempts: number
  /** When it is to be sent, while it waits. */
  due_at: number | null
  last_error: string | null
  created_at: number
  ended_at: number | null
}

interface RouteRow {
  name: string
  channel: ChannelKind
  recipient: string
  changed_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    hooks_outbox: OutboxRow
    hooks_routes: RouteRow
  }
}

const mainRoute = 'main'

/** False: there is one with the same `dedupe` already. */
export async function insertMessage(tx: Tx, row: OutboxRow): Promise<boolean> {
  const added = await tx
    .insertInto('hooks_outbox')
    .values(row)
    .onConflict((conflict) => conflict.column('dedupe').doNothing())
    .returning('id')
    .execute()
  return added.length > 0
}

export const findByDedupe = (queries: Queries, dedupe: string) =>
  queries.selectFrom('hooks_outbox').select('id').where('dedupe', '=', dedupe).executeTakeFirstOrThrow()

export const changeMessage = (queries: Queries, id: string, change: Partial<OutboxRow>) =>
  queries.updateTable('hooks_outbox').set(change).where('id', '=', id).execute()

/** It surely is not there yet. */
export const takeBackMark = (queries: Queries, id: string) =>
  queries
    .updateTable('hooks_outbox')
    .set({ state: 'pending' })
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .execute()

export const findMessage = (queries: Queries, id: string): Promise<OutboxRow | undefined> =>
  queries.selectFrom('hooks_outbox').selectAll().where('id', '=', id).executeTakeFirst()

export interface OutboxQuery {
  state?: OutboxState
  origin?: string
  limit: number
  /** Older than this one. */
  before?: number
}

/** The newest first. */
export const listMessages = (queries: Queries, { state, origin, limit, before }: OutboxQuery): Promise<OutboxRow[]> =>
  queries
    .selectFrom('hooks_outbox')
    .selectAll()
    .$if(state !== undefined, (query) => query.where('state', '=', state as OutboxState))
    .$if(origin !== undefined, (query) => query.where('origin', '=', origin as string))
    .$if(before !== undefined, (query) => query.where('position', '<', before as number))
    .orderBy('position', 'desc')
    .limit(limit)
    .execute()

export async function countMessages(queries: Queries): Promise<Record<OutboxState, number>> {
  const rows = await queries
    .selectFrom('hooks_outbox')
    .select(['state', ({ fn }) => fn.countAll<number | string>().as('count')])
    .groupBy('state')
    .execute()
  const counts = Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]))
  return { pending: 0, sending: 0, sent: 0, dead: 0, ...counts }
}

export const deleteEndedBefore = (queries: Queries, time: number) =>
  deleteInSlices((limit) => {
    const ended = queries.selectFrom('hooks_outbox').select('id').where('state', 'in', ['sent', 'dead'])
    const some = ended.where('ended_at', '<', time).limit(limit)
    return queries.deleteFrom('hooks_outbox').where('id', 'in', some).returning('id').execute()
  })

export async function findRoute(queries: Queries): Promise<Target | undefined> {
  const row = await queries.selectFrom('hooks_routes').selectAll().where('name', '=', mainRoute).executeTakeFirst()
  return row && { channel: row.channel, to: row.recipient }
}

export async function saveRoute(tx: Tx, { channel, to }: Target, now: number): Promise<void> {
  const route = { channel, recipient: to, changed_at: now }
  await tx
    .insertInto('hooks_routes')
    .values({ name: mainRoute, ...route })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(route))
    .execute()
}
