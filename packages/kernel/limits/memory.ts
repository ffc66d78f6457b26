// Token buckets of one process. They stand in the way of every request, so each take is a few additions.
import type { Clock } from '../clock/clock.ts'
import { checkGiveBack, checkTake, retryAfterMs, roundingSlack, stateOf } from './arithmetic.ts'
import type { Bucket, Limits, Take, Verdict } from './limits.ts'

interface Level {
  key: string
  level: number
  at: number
  capacity: number
  periodMs: number
}

/** Each call looks at this many buckets: full ones go, so memory follows what is really in use. */
const sweptPerCall = 4

export interface MemoryLimits extends Limits {
  /** Buckets held in memory. */
  readonly size: number
}

export function createMemoryLimits(clock: Clock): MemoryLimits {
  const levels = new Map<string, Level>()
  let sweeper = levels.values()

  function sweep(now: number): void {
    for (let looked = 0; looked < sweptPerCall; looked++) {
      const next = sweeper.next()
      if (next.done) {
        sweeper = levels.values()
        return
      }
      const held = next.value
      if (levelAt(held, held, now) >= held.capacity) levels.delete(held.key)
    }
  }

  function refilled(bucket: Bucket, now: number): Level {
    let held = levels.get(bucket.key)
    if (held === undefined) {
      held = { key: bucket.key, level: bucket.capacity, at: now, capacity: bucket.capacity, periodMs: bucket.periodMs }
      levels.set(bucket.key, held)
      return held
    }
    held.level = levelAt(held, bucket, now)
    held.at = now
    held.capacity = bucket.capacity
    held.periodMs = bucket.periodMs
    return held
  }

  function takeNow(takes: readonly Take[]): Verdict {
    const now = clock.now()
    const held: Level[] = []
    for (const take of takes) {
      checkTake(take)
      held.push(refilled(take.bucket, now))
    }
    const verdict = takeAll(takes, held)
    sweep(now)
    return verdict
  }

  return {
    get size() {
      return levels.size
    },
    takeNow,
    take: async (takes) => takeNow(takes),
    async giveBack(takes) {
      const now = clock.now()
      for (const { bucket, amount } of takes) {
        checkGiveBack(bucket, amount)
        putBack(refilled(bucket, now), amount)
      }
      sweep(now)
    },
  }
}

/** The level by the capacity and period in force now; they may have changed since. */
function levelAt(held: Level, bucket: { capacity: number; periodMs: number }, now: number): number {
  // A clock set back refills nothing; the time from then on counts again.
  const elapsedMs = Math.max(0, now - held.at)
  return Math.min(bucket.capacity, held.level + (elapsedMs * bucket.capacity) / bucket.periodMs)
}

function putBack(held: Level, amount: number): void {
  held.level = Math.min(held.capacity, held.level + amount)
}

function takeAll(takes: readonly Take[], held: readonly Level[]): Verdict {
  const verdict: Verdict = { granted: true, states: [] }
  for (let index = 0; index < takes.length; index++) {
    const take = takes[index] as Take
    const from = held[index] as Level
    if (from.level + roundingSlack >= take.amount || take.amount === 0) {
      from.level -= take.amount
      continue
    }
    for (let taken = 0; taken < index; taken++) putBack(held[taken] as Level, (takes[taken] as Take).amount)
    verdict.granted = false
    verdict.refused = { index, retryAfterMs: retryAfterMs(take, from.level) }
    break
  }
  for (let index = 0; index < takes.length; index++) {
    verdict.states.push(stateOf((takes[index] as Take).bucket, (held[index] as Level).level))
  }
  return verdict
}
