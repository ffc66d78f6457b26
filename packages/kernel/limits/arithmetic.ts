// The sums of a token bucket, the same for every place where buckets are kept.
import type { Bucket, BucketState, Take } from './limits.ts'

/** Refill is in fractions; what is short by less than this is there. */
export const roundingSlack = 1e-6

export function stateOf(bucket: Bucket, level: number): BucketState {
  return {
    limit: bucket.capacity,
    remaining: Math.max(0, Math.floor(level + roundingSlack)),
    // One that never holds anything is as it always is.
    resetMs: bucket.capacity === 0 ? 0 : waitMs(bucket, bucket.capacity - level),
  }
}

/** How long until `amount` could be taken, when the bucket holds `level`. */
export function retryAfterMs({ bucket, amount }: Take, level: number): number {
  if (amount > bucket.capacity) return Number.POSITIVE_INFINITY
  return Math.max(1, waitMs(bucket, amount - level))
}

function waitMs(bucket: Bucket, missing: number): number {
  if (missing <= roundingSlack) return 0
  return Math.ceil((missing * bucket.periodMs) / bucket.capacity)
}

/** Wrong numbers here are a mistake of the program, not of a caller. */
export function checkTake({ bucket, amount }: Take): void {
  if (!(amount >= 0 && amount < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`The amount taken from ${bucket.key} must be 0 or more; it is ${amount}.`)
  }
  checkBucket(bucket)
}

export function checkGiveBack(bucket: Bucket, amount: number): void {
  if (!Number.isFinite(amount)) throw new RangeError(`The amount put back into ${bucket.key} is ${amount}.`)
  checkBucket(bucket)
}

function checkBucket({ key, capacity, periodMs }: Bucket): void {
  if (!(capacity >= 0 && capacity < Number.POSITIVE_INFINITY && periodMs > 0 && periodMs < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`The bucket ${key} must have a capacity and a period; it has ${capacity} in ${periodMs} ms.`)
  }
}
