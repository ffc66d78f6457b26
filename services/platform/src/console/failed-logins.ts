// How many logins may fail from one address.
import { isIPv6 } from 'node:net'
import type { Limits, Take } from '@atoll/kernel/limits/limits'
import { consoleErrors } from '../errors/console.ts'

const failuresOfAddress = { capacity: 10, periodMs: 5 * 60_000 }

const takeOf = (address: string): Take => ({
  bucket: { key: `console-login:${neighbourhood(address)}`, ...failuresOfAddress },
  amount: 1,
})

export class FailedLogins {
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Counted before the key is looked at, or many guesses at once would all be let through. */
  async count(address: string): Promise<void> {
    const { granted, refused } = await this.#limits.take([takeOf(address)])
    if (!granted) throw consoleErrors.tooManyFailures(refused?.retryAfterMs ?? failuresOfAddress.periodMs)
  }

  /** It was none. */
  async takeBack(address: string): Promise<void> {
    await this.#limits.giveBack([takeOf(address)])
  }
}

const mapped = '::ffff:'

/** One customer of a provider usually has a whole /64 of IPv6 addresses. */
export function neighbourhood(address: string): string {
  const lower = address.toLowerCase()
  if (lower.startsWith(mapped) && lower.includes('.')) return lower.slice(mapped.length)
  if (!isIPv6(lower)) return lower
  const [head = '', tail] = lower.split('%')[0]?.split('::') ?? []
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after]
  return `${groups.slice(0, 4).join(':')}::/64`
}
