// PostgreSQL ends one of two conflicting transactions and asks to try again.
import { setTimeout as pause } from 'node:timers/promises'

const retryCodes: readonly unknown[] = ['40001', '40P01'] // serialization failure, deadlock
const maxTries = 20
const firstPauseMs = 5
const maxPauseMs = 500

/** Runs `attempt` until it ends without a conflict. */
export async function retryConflicts<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === maxTries || !isConflict(error)) throw error
    }
    await pause(Math.random() * Math.min(maxPauseMs, firstPauseMs * 2 ** tries))
  }
}

const isConflict = (error: unknown): boolean => hasCode(error, retryCodes)

/** The work may have wrapped the database's error in its own. */
export function hasCode(error: unknown, codes: readonly unknown[]): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (codes.includes((at as { code?: unknown }).code)) return true
  }
  return false
}
