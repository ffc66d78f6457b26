// Asks each server from time to time whether it is there: seldom while it answers calls, with growing pauses while
// it is out.
import type { Clock } from '@atoll/kernel/clock/clock'
import { FailedTry } from './problems.ts'
import type { Replica } from './replica.ts'
import type { UpstreamSettings } from './settings.ts'

export class HealthChecks {
  readonly #replicas: readonly Replica[]
  readonly #headers: string[]
  readonly #settings: UpstreamSettings
  readonly #clock: Clock
  readonly #timers = new Map<Replica, NodeJS.Timeout>()
  #stopped = false

  constructor(replicas: readonly Replica[], headers: string[], settings: UpstreamSettings, clock: Clock) {
    this.#replicas = replicas
    this.#headers = headers
    this.#settings = settings
    this.#clock = clock
  }

  start(): void {
    for (const replica of this.#replicas) this.#plan(replica)
  }

  /** It went out: asked again when its time is over. */
  lookAfter(replica: Replica): void {
    this.#plan(replica)
  }

  stop(): void {
    this.#stopped = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }

  #plan(replica: Replica): void {
    clearTimeout(this.#timers.get(replica))
    const { intervalMs } = this.#settings.health
    if (this.#stopped || (!replica.isOut && intervalMs === 0)) return
    const delay = replica.isOut ? replica.awayMs() : intervalMs * (0.9 + Math.random() / 5)
    const timer = setTimeout(() => void this.#look(replica), delay)
    timer.unref()
    this.#timers.set(replica, timer)
  }

  async #look(replica: Replica): Promise<void> {
    // One that answered calls lately needs no question.
    const lately = this.#clock.now() - replica.heardAt < this.#settings.health.intervalMs
    if (replica.isOut || !lately) await this.#ask(replica)
    this.#plan(replica)
  }

  async #ask(replica: Replica): Promise<void> {
    const { path, timeoutMs } = this.#settings.health
    try {
      const status = await replica.check(path, this.#headers, timeoutMs)
      if (status < 500) {
        replica.recovered()
        return
      }
      throw new FailedTry(`The health check was answered with ${status}.`, status, {
        blame: 'failing',
      })
    } catch (error) {
      if (this.#stopped) return
      if (replica.isOut) replica.stillFailing()
      else if (error instanceof FailedTry) replica.failed(error)
    }
  }
}
