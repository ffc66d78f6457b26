// What happens to a delivery that a node holds: begun, ended, put back. Each checks that it is still held.
import type { Tx } from '@atoll/kernel/db/database'
import type { Outcome } from '../ports.ts'
import { leaveLane, releaseLane } from './lanes.ts'
import type { DeliveryRow } from './row.ts'

/** A delivery in the hands of this node; `token` proves it. */
export interface Held {
  id: string
  lane: string
  token: string
}

const maxErrorLength = 2_000

/** NUL cannot be stored. */
export const bounded = (text: string): string => text.replaceAll('\0', '').slice(0, maxErrorLength)

export const beginAttempt = (tx: Tx, { id, token }: Held, now: number) =>
  tx
    .updateTable('hooks_deliveries')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .set({ state: 'running', run_token: token, started_at: now })
    .where('id', '=', id)
    .execute()

async function change(tx: Tx, { id, token }: Held, values: Partial<DeliveryRow>): Promise<boolean> {
  const changed = await tx
    .updateTable('hooks_deliveries')
    .set({ ...values, run_token: null })
    .where('id', '=', id)
    .where('run_token', '=', token)
    .returning('id')
    .execute()
  return changed.length > 0
}

/** All of these say false when it is not held any more. */
export async function endAttempt(tx: Tx, held: Held, outcome: Outcome, now: number): Promise<boolean> {
  const { state, error } = outcome
  const ended = await change(tx, held, {
    state,
    lane: null,
    ended_at: now,
    error: error === undefined ? null : bounded(error),
    outcome: JSON.stringify(outcome),
  })
  return ended && leaveLane(tx, held.lane, held.token, now)
}

export async function buryDelivery(tx: Tx, held: Held, error: string, now: number): Promise<boolean> {
  const buried = await change(tx, held, { state: 'dead', lane: null, ended_at: now, error })
  return buried && leaveLane(tx, held.lane, held.token, now)
}

/** The lane waits with it: what came later must not overtake it. */
export async function retryDelivery(tx: Tx, held: Held, error: string, dueAt: number): Promise<boolean> {
  return (await change(tx, held, { state: 'queued', error })) && releaseLane(tx, held.lane, held.token, dueAt)
}

/** An attempt broken off by a shutdown does not count. */
export async function handBack(tx: Tx, held: Held, now: number): Promise<boolean> {
  await tx
    .updateTable('hooks_deliveries')
    .set((eb) => ({ attempts: eb('attempts', '-', 1) }))
    .where('id', '=', held.id)
    .where('run_token', '=', held.token)
    .execute()
  return (await change(tx, held, { state: 'queued' })) && releaseLane(tx, held.lane, held.token, now)
}
