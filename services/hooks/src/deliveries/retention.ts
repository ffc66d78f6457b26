// Forgets deliveries that ended long ago, and with them the keys that they came with.
import type { Kernel } from '@atoll/kernel/kernel'
import type { DeliveryState } from '../delivery-states.ts'
import { deleteDeliveries, endedStates, oldestEnded } from './store.ts'

const pruneEverySeconds = 600
const batchRows = 500
const dayMs = 24 * 3600 * 1000

type Parts = Pick<Kernel, 'db' | 'clock'>

export function pruneBy(kernel: Parts & Pick<Kernel, 'jobs'>, retentionDays: number): void {
  kernel.jobs.registerPeriodic('prune-hook-deliveries', pruneEverySeconds, (signal) =>
    pruneDeliveries(kernel, retentionDays, signal),
  )
}

export async function pruneDeliveries(parts: Parts, retentionDays: number, signal?: AbortSignal): Promise<void> {
  const before = parts.clock.now() - retentionDays * dayMs
  for (const state of endedStates) {
    let pruned = batchRows
    while (pruned > 0 && !signal?.aborted) pruned = await pruneOldest(parts, state, before)
  }
}

/** Ids are in the order of arrival, so the oldest come first: where none of them is over, none behind them is looked at. */
async function pruneOldest({ db }: Parts, state: DeliveryState, before: number): Promise<number> {
  const rows = await oldestEnded(db.queries, state, batchRows)
  const ids = rows.filter(({ ended_at }) => ended_at !== null && ended_at < before).map(({ id }) => id)
  if (ids.length > 0) await db.transaction((tx) => deleteDeliveries(tx, ids))
  return ids.length
}
