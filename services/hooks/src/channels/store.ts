// The outbox as it lies in the database, and the main session's last recipient.
import type { Queries, Tx } from '@atoll/kernel/db/database'
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
  /** When it may be claimed: its time while it waits, the end of the lease while it is sent, null when it has ended. */
  due_at: number | null
  lease: string | null
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

/** Returns the id of the one that is there, which may be an earlier one with the same `dedupe`. */
export async function insertMessage(tx: Tx, row: OutboxRow): Promise<string> {
  await tx
    .insertInto('hooks_outbox')
    .values(row)
    .onConflict((conflict) => conflict.column('dedupe').doNothing())
    .execute()
  const there = await tx.selectFrom('hooks_outbox').select('id').where('dedupe', '=', row.dedupe).executeTakeFirst()
  return there?.id ?? row.id
}

/** What is due and first in the line for its recipient; channels that asked for peace are left alone. */
export function dueMessages(queries: Queries, now: number, limit: number, resting: readonly ChannelKind[]) {
  const due = queries
    .selectFrom('hooks_outbox as message')
    .selectAll('message')
    .where('message.due_at', '<=', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('hooks_outbox as earlier')
            .select('earlier.id')
            .whereRef('earlier.channel', '=', 'message.channel')
            .whereRef('earlier.recipient', '=', 'message.recipient')
            .where('earlier.due_at', 'is not', null)
            .whereRef('earlier.position', '<', 'message.position'),
        ),
      ),
    )
    .orderBy('message.due_at')
    .orderBy('message.position')
    .limit(limit)
  return (resting.length === 0 ? due : due.where('message.channel', 'not in', resting)).execute()
}

export const updateMessage = (queries: Queries, id: string, change: Partial<OutboxRow>) =>
  queries.updateTable('hooks_outbox').set(change).where('id', '=', id).execute()

/** False when another node has it by now. */
export async function updateHeld(queries: Queries, held: OutboxRow, change: Partial<OutboxRow>): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('hooks_outbox')
    .set(change)
    .where('id', '=', held.id)
    .where('lease', '=', held.lease)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** What another process was sending, which is gone: it need not wait for the end of the lease. */
export const endAllLeases = (queries: Queries, now: number) =>
  queries.updateTable('hooks_outbox').set({ due_at: now }).where('state', '=', 'sending').execute()

export async function nextDue(queries: Queries): Promise<number | undefined> {
  const row = await queries
    .selectFrom('hooks_outbox')
    .select('due_at')
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  return row?.due_at ?? undefined
}

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
  queries.deleteFrom('hooks_outbox').where('state', 'in', ['sent', 'dead']).where('ended_at', '<', time).execute()

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
