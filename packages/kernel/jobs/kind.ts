import type { JobKind } from './jobs.ts'

export const periodicPrefix = 'periodic/'

export interface RegisteredKind extends JobKind<unknown> {
  /** Set for periodic kinds: they begin again instead of ending. */
  periodMs?: number
}

const longestLeaseSeconds = 24 * 3600

export function checked<Payload>(kind: JobKind<Payload>): JobKind<Payload> {
  const { name, maxAttempts, leaseSeconds, concurrency, tenantConcurrency = 1 } = kind
  if (name === '' || name.startsWith(periodicPrefix)) throw new Error(`"${name}" cannot be the name of a kind of job.`)
  const hasPlaces = concurrency >= 1 && tenantConcurrency >= 1
  if (!(maxAttempts >= 1 && hasPlaces && leaseSeconds > 0 && leaseSeconds <= longestLeaseSeconds)) {
    throw new RangeError(
      `The kind of job ${name} needs at least one attempt, a place to run, and a lease of at most ${longestLeaseSeconds} s.`,
    )
  }
  return kind
}
