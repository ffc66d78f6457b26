import type { Queries, Tx } from '@atoll/kernel/db/database'
import type { DeliveryState } from '../delivery-states.ts'
import type { DeliveryFilter, Outcome } from '../ports.ts'
import type { DeliveryRow } from './row.ts'

export const findDelivery = (queries: Queries, id: string) =>
  queries.selectFrom('hooks_deliveries').selectAll().where('id', '=', id).executeTakeFirst()

/** What was accepted before under the same key, or with the same signature. */
export async function findEarlier(
  queries: Queries,
  { dedupe_key, nonce }: Pick<DeliveryRow, 'dedupe_key' | 'nonce'>,
): Promise<DeliveryRow | undefined> {
  const by = (column: 'dedupe_key' | 'nonce', value: string) =>
    queries.selectFrom('hooks_deliveries').selectAll().where(column, '=', value).executeTakeFirst()
  const same = dedupe_key === null ? undefined : await by('dedupe_key', dedupe_key)
  return same ?? (nonce === null ? undefined : await by('nonce', nonce))
}

export const countDuplicate = (tx: Tx, id: string) =>
  tx
    .updateTable('hooks_deliveries')
    .set((eb) => ({ duplicates: eb('duplicates', '+', 1) }))
    .where('id', '=', id)
    .execute()

export const endedStates: readonly DeliveryState[] = ['succeeded', 'failed', 'timed_out', 'skipped', 'dead']

/** As it was before; undefined when it has ended. */
export async function beginAttempt(
  tx: Tx,
  id: string,
  begun: Pick<DeliveryRow, 'attempts' | 'started_at'>,
): Promise<DeliveryRow | undefined> {
  const row = await findDelivery(tx, id)
  if (row === undefined || endedStates.includes(row.state)) return undefined
  await tx
    .updateTable('hooks_deliveries')
    .set({ ...begun, state: 'running' })
    .where('id', '=', id)
    .execute()
  return row
}

const maxErrorLength = 2_000

export const endDelivery = (tx: Tx, id: string, outcome: Outcome, now: number) =>
  tx
    .updateTable('hooks_deliveries')
    .set({
      state: outcome.state,
      ended_at: now,
      // NUL cannot be stored.
      error: outcome.error?.replaceAll('\0', '').slice(0, maxErrorLength) ?? null,
      outcome: JSON.stringify(outcome),
    })
    .where('id', '=', id)
    .execute()

/** It waits again. False: it had not begun. */
export async function requeueDelivery(
  tx: Tx,
  id: string,
  change: Partial<Pick<DeliveryRow, 'attempts' | 'error'>>,
): Promise<boolean> {
  const requeued = await tx
    .updateTable('hooks_deliveries')
    .set({ ...change, state: 'queued' })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .returning('id')
    .execute()
  return requeued.length > 0
}

export const buryDelivery = (tx: Tx, id: string, end: Pick<DeliveryRow, 'attempts' | 'error' | 'ended_at'>) =>
  tx
    .updateTable('hooks_deliveries')
    .set({ ...end, state: 'dead' })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

export function pageOfDeliveries(queries: Queries, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const { state, mapping, sessionKey, after, limit, order } = filter
  let page = queries.selectFrom('hooks_deliveries').selectAll().orderBy('id', order).limit(limit)
  if (state !== undefined) page = page.where('state', '=', state)
  if (mapping !== undefined) page = page.where('mapping', '=', mapping)
  if (sessionKey !== undefined) page = page.where('session_key', '=', sessionKey)
  if (after !== undefined) page = page.where('id', order === 'asc' ? '>' : '<', after)
  return page.execute()
}

export async function countDeliveries(queries: Queries): Promise<Map<DeliveryState, number>> {
  const rows = await queries
    .selectFrom('hooks_deliveries')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute()
  return new Map(rows.map(({ state, count }) => [state, Number(count)]))
}

export async function countQueued(queries: Queries): Promise<number> {
  const { count } = await queries
    .selectFrom('hooks_deliveries')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('state', '=', 'queued')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The oldest of those that ended, with when. */
export const oldestEnded = (queries: Queries, state: DeliveryState, limit: number) =>
  queries
    .selectFrom('hooks_deliveries')
    .select(['id', 'ended_at'])
    .where('state', '=', state)
    .orderBy('id')
    .limit(limit)
    .execute()

export async function deleteDeliveries(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.deleteFrom('hooks_delivery_events').where('delivery_id', 'in', ids).execute()
  await tx.deleteFrom('hooks_deliveries').where('id', 'in', ids).execute()
}
