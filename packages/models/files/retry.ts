// Tries again after failures that pass, ever more slowly, and gives up when nothing moves any more.
import { setTimeout as sleep } from 'node:timers/promises'
import { ModelFileProblem, PassingProblem } from './problem.ts'

export interface Patience {
  /** Failures in a row, without any progress between them. */
  tries?: number
  firstDelayMs?: number
}

const defaultTries = 6
const defaultFirstDelayMs = 500
const maxDelayMs = 20_000

/** `progress` grows while the work gets on; then patience begins anew. */
export async function persist<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  { tries = defaultTries, firstDelayMs = defaultFirstDelayMs }: Patience = {},
  progress: () => number = () => 0,
): Promise<T> {
  let reached = progress()
  for (let failures = 1; ; failures++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PassingProblem) || signal.aborted) throw error
      if (progress() > reached) failures = 1
      reached = progress()
      if (failures >= tries) throw new ModelFileProblem(`${error.message} (tried ${tries} times)`, { cause: error })
      const delay = Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs)
      await sleep((error.retryAfterSeconds ?? 0) * 1000 + delay * (0.5 + Math.random()), undefined, { signal })
    }
  }
}
