// The end of an attempt that failed: tried again later, or dead after the last.
import { setTimeout as delay } from 'node:timers/promises'
import type { Tx } from '@atoll/kernel/db/database'
import type { QueueConfig } from '../ingress/config.ts'
import { bounded, buryDelivery, retryDelivery } from './attempts.ts'
import { addEvent } from './delivery-events.ts'
import type { HeldDelivery } from './held-delivery.ts'
import { tellNews } from './news.ts'
import type { QueueParts } from './queue-parts.ts'

const settleRetryMs = 500

/** Whether it waits again. A database that does not answer is asked again for as long as the lease holds. */
export async function settleFailure(parts: QueueParts, held: HeldDelivery, failure: unknown): Promise<boolean> {
  const { db, log } = parts.kernel
  const error = bounded(failure instanceof Error ? failure.message : String(failure))
  log.warn({ delivery: held.id, attempt: held.attempt, error }, 'A delivery failed.')
  while (!held.signal.aborted) {
    try {
      return await db.transaction((tx) => writeFailure(parts, tx, held, error))
    } catch (problem) {
      log.error({ err: problem, delivery: held.id }, 'Could not write the end of a delivery; trying again.')
      await delay(settleRetryMs, undefined, { signal: held.signal }).catch(() => undefined)
    }
  }
  return false
}

async function writeFailure(
  { kernel, config, died }: QueueParts,
  tx: Tx,
  held: HeldDelivery,
  error: string,
): Promise<boolean> {
  const { clock, events } = kernel
  const now = clock.now()
  const isDead = held.attempt >= config.maxAttempts
  const dueAt = Math.round(now + pauseMs(config, held.attempt))
  const isHeld = isDead
    ? await buryDelivery(tx, held.taken, error, now)
    : await retryDelivery(tx, held.taken, error, dueAt)
  if (!isHeld) return false
  const retry = isDead ? {} : { retryAt: dueAt }
  if (isDead) await died?.(tx, held, error)
  await addEvent(tx, held.id, now, isDead ? 'dead' : 'attempt.failed', { attempt: held.attempt, error, ...retry })
  await tellNews(events, tx, [held.id])
  return !isDead
}

/** Longer each time, and never the same for all: what failed together need not come back together. */
function pauseMs({ backoffSeconds, maxBackoffSeconds }: QueueConfig, attempt: number): number {
  const seconds = Math.min(maxBackoffSeconds, backoffSeconds * 2 ** (attempt - 1))
  return seconds * 1000 * (0.5 + Math.random() / 2)
}
