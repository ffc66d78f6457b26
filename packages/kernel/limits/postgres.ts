// Token buckets that hold across nodes. PostgreSQL's clock counts, so nodes whose clocks differ still agree.
import type { Database } from '../db/database.ts'
import { checkGiveBack, checkTake, retryAfterMs, stateOf } from './arithmetic.ts'
import { addToBucket, removeFullBuckets, takeFromBucket } from './bucket-statements.ts'
import type { BucketState, Limits, Take } from './limits.ts'

interface RateBucketRow {
  key: string
  level: number
  /** What the last take got: all it asked for, or 0. */
  taken: number
  /** What it holds and what flows back in a microsecond, as of the last use. */
  capacity: number
  per_us: number
  /** When `level` was true, in microseconds since the epoch. */
  at_us: number
}

declare module '../db/database.ts' {
  interface Tables {
    rate_buckets: RateBucketRow
  }
}

export function createPostgresLimits(db: Database): Limits {
  const giveBack = async (takes: readonly Take[]): Promise<void> => {
    for (const take of takes) await addToBucket(db.queries, take.bucket, take.amount)
  }
  return {
    async take(takes) {
      for (const take of takes) checkTake(take)
      const states: BucketState[] = []
      for (const [index, take] of takes.entries()) {
        const { level, granted } = await takeFromBucket(db.queries, take)
        states.push(stateOf(take.bucket, level))
        if (granted) continue
        const taken = takes.slice(0, index).filter(({ amount }) => amount > 0)
        await giveBack(taken)
        const refused = { index, retryAfterMs: retryAfterMs(take, level) }
        return { granted: false, states: await look(db, takes), refused }
      }
      return { granted: true, states }
    },
    async giveBack(takes) {
      for (const { bucket, amount } of takes) checkGiveBack(bucket, amount)
      await giveBack(takes)
    },
  }
}

async function look(db: Database, takes: readonly Take[]): Promise<BucketState[]> {
  const states: BucketState[] = []
  for (const { bucket } of takes) {
    const { level } = await takeFromBucket(db.queries, { bucket, amount: 0 })
    states.push(stateOf(bucket, level))
  }
  return states
}

/** Removes buckets that are full again: one that is not there counts as full. To be run every few minutes. */
export const pruneRateBuckets = (db: Database): Promise<number> => removeFullBuckets(db.queries)
