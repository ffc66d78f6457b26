// The limits port: token buckets. In memory for one process; in PostgreSQL they hold across nodes.
export interface Bucket {
  key: string
  /** The bucket holds this many and refills evenly to it in `periodMs`. */
  capacity: number
  periodMs: number
}

export interface Take {
  bucket: Bucket
  /** 0 only looks. */
  amount: number
}

export interface BucketState {
  limit: number
  remaining: number
  /** Until the bucket is full again. */
  resetMs: number
}

export interface Verdict {
  granted: boolean
  /** In the order of the takes. */
  states: BucketState[]
  /** Index of the take that was refused, and how long until it could be granted; Infinity when it never can. */
  refused?: { index: number; retryAfterMs: number }
}

export interface Limits {
  /** Takes from all buckets or from none. */
  take(takes: Take[]): Promise<Verdict>
  /** The same at once, where buckets lie in memory. */
  takeNow?(takes: Take[]): Verdict
  /** Puts back what was taken too much (an estimate corrected later); a negative amount takes more, below zero if need be. */
  giveBack(takes: Take[]): Promise<void>
}
