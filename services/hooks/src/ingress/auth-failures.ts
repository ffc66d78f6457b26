// Failed authentications by address: after too many, whoever fails there is told to wait. Who has the right token never
// is: others may share the address. Kept by each node for itself.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { HttpError } from '@atoll/kernel/http/error'
import * as errors from '../errors.ts'

export interface FailureLimit {
  limit: number
  seconds: number
}

interface Failures {
  count: number
  /** When they are forgotten. */
  until: number
}

/** Whoever has more addresses than this to try from is not stopped by counting. */
const maxAddresses = 50_000

export class AuthFailures {
  readonly #clock: Clock
  readonly #byAddress = new Map<string, Failures>()
  limit: FailureLimit

  constructor(clock: Clock, limit: FailureLimit) {
    this.#clock = clock
    this.limit = limit
  }

  /** What a failure is answered with. */
  failed(address: string): HttpError {
    const waitMs = this.#waitMs(address)
    if (waitMs > 0) return errors.tooManyFailures(waitMs)
    this.#add(keyOf(address))
    return errors.unauthorized()
  }

  #waitMs(address: string): number {
    const failures = this.#byAddress.get(keyOf(address))
    return failures === undefined || failures.count < this.limit.limit ? 0 : failures.until - this.#clock.now()
  }

  #add(key: string): void {
    const now = this.#clock.now()
    const known = this.#byAddress.get(key)
    const count = known === undefined || known.until <= now ? 1 : known.count + 1
    // The time runs from the first failure, and once more from the one that was too much.
    const isNewTime = count === 1 || count === this.limit.limit
    const until = isNewTime ? now + this.limit.seconds * 1000 : (known?.until ?? now)
    this.#byAddress.delete(key)
    this.#byAddress.set(key, { count, until })
    if (this.#byAddress.size > maxAddresses) this.#forgetOldest()
  }

  /** Forgets failures; but not that somebody there has to wait. */
  succeeded(address: string): void {
    if (this.#byAddress.size > 0 && this.#waitMs(address) <= 0) this.#byAddress.delete(keyOf(address))
  }

  #forgetOldest(): void {
    for (const key of this.#byAddress.keys()) {
      this.#byAddress.delete(key)
      return
    }
  }
}

/** Whoever has one IPv6 address has a whole network of them. */
function keyOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::', 2)
  const groups = head.split(':').filter((group) => group !== '')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  return [...groups, ...Array.from({ length: Math.max(0, missing) }, () => '0')].slice(0, 4).join(':')
}
