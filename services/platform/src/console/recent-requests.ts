// What programs asked of this node in the last hour, minute by minute: how much, how it ended, how long it took. Kept in
// memory, in a few kilobytes whatever is asked; what the console asks for its own pages does not count.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { EndedRequest } from '@atoll/kernel/telemetry/metrics'
import type { ConsoleActivity } from './schema.ts'

const minutes = 60
const msPerMinute = 60_000
/** Steps of about a fifth, from a millisecond to some minutes. */
const stepsPerDoubling = 4
const steps = 80

interface Minute {
  /** Since 1970, in minutes. */
  at: number
  requests: number
  refused: number
  failed: number
  /** Answers by how long they took. */
  durations: Uint32Array
}

export class RecentRequests {
  readonly #clock: Clock
  readonly #minutes = new Map<number, Minute>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add({ service, route, status, seconds }: EndedRequest): void {
    if (service !== 'platform' || !isOfPrograms(route)) return
    const minute = this.#minute(this.#now())
    minute.requests += 1
    if (status >= 500) minute.failed += 1
    else if (status >= 400) minute.refused += 1
    const step = Math.min(steps - 1, Math.round(Math.log2(seconds * 1000 + 1) * stepsPerDoubling))
    minute.durations[step] = (minute.durations[step] ?? 0) + 1
  }

  /** The oldest minute first; those without a request are there too. */
  list(): ConsoleActivity['data'] {
    const now = this.#now()
    return Array.from({ length: minutes }, (_, index) => {
      const at = now - minutes + 1 + index
      const found = this.#minutes.get(at % minutes)
      return presented(found?.at === at ? found : emptyMinute(at))
    })
  }

  #now = (): number => Math.floor(this.#clock.now() / msPerMinute)

  #minute(at: number): Minute {
    const found = this.#minutes.get(at % minutes)
    if (found?.at === at) return found
    const fresh = emptyMinute(at)
    this.#minutes.set(at % minutes, fresh)
    return fresh
  }
}

const isOfPrograms = (route = ''): boolean =>
  route.startsWith('/v1/') && !route.startsWith('/v1/console/') && !route.startsWith('/v1/organization/')

const emptyMinute = (at: number): Minute => ({
  ...{ at, requests: 0, refused: 0, failed: 0 },
  durations: new Uint32Array(steps),
})

const presented = ({ at, requests, refused, failed, durations }: Minute): ConsoleActivity['data'][number] => ({
  start_time: at * (msPerMinute / 1000),
  ...{ requests, refused, failed },
  median_ms: within(durations, 0.5 * requests),
  slow_ms: within(durations, 0.95 * requests),
})

/** How long so many of the answers took at most. */
function within(durations: Uint32Array, wanted: number): number | null {
  let seen = 0
  for (const [step, count] of durations.entries()) {
    seen += count
    if (count > 0 && seen >= wanted) return Math.round(2 ** (step / stepsPerDoubling) - 1)
  }
  return null
}
