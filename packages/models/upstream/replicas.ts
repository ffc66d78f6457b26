// The set of servers: who is asked next, who waits, and who is looked after.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Log } from '@atoll/kernel/telemetry/log'
import { HealthChecks } from './health-checks.ts'
import type { Lifetime } from './lifetime.ts'
import { FailedTry } from './problems.ts'
import { Replica, type ReplicaState } from './replica.ts'
import type { UpstreamSettings } from './settings.ts'

/** Calls wait so long for a server to come back; beyond this the caller is told. */
const shortWaitMs = 2_000

interface Waiting {
  tried: ReadonlySet<Replica>
  start(replica: Replica): void
  leave(reason: Error): void
}

export class Replicas {
  readonly #all: readonly Replica[]
  readonly #health: HealthChecks
  readonly #log: Log
  /** Those who wait for any server, in the order they came. As many as were let in, at most. */
  readonly #line = new Set<Waiting>()
  #turn = 0
  #wake: NodeJS.Timeout | undefined
  #opened: Promise<unknown> | undefined
  #isClosed = false

  constructor(settings: UpstreamSettings, headers: string[], { log, clock }: { log: Log; clock: Clock }) {
    this.#log = log
    const changed = (replica: Replica, state?: ReplicaState) => this.#changed(replica, state)
    const hasOther = (replica: Replica) => this.#all.some((each) => each !== replica && !each.isOut)
    this.#all = settings.replicas.map((entry) => {
      const { url, weight } = typeof entry === 'string' ? { url: entry, weight: 1 } : entry
      return new Replica({ url, weight, settings, clock, changed, hasOther })
    })
    this.#health = new HealthChecks(this.#all, headers, settings, clock)
  }

  get canAnswer(): boolean {
    return this.#all.some((replica) => !replica.isOut)
  }

  /** The first call loads what speaks HTTP and begins to look after the servers. */
  open(): Promise<unknown> {
    this.#opened ??= Promise.all(this.#all.map((replica) => replica.open())).then(() => this.#health.start())
    return this.#opened
  }

  /** A place at the server with the least to do. Waits while all are full, and for a moment while all are away. */
  take(tried: ReadonlySet<Replica>, lifetime: Lifetime): Replica | Promise<Replica> {
    if (this.#isClosed) throw closed()
    const replica = this.#line.size === 0 ? this.#pick(tried) : undefined
    if (replica) {
      replica.take()
      return replica
    }
    const away = Math.min(...this.#all.map((each) => each.awayMs()))
    if (away > shortWaitMs) throw this.#allAway(away)
    return this.#wait(tried, lifetime)
  }

  /** Whether a try could go to a server that has not failed this call yet. */
  hasOther(tried: ReadonlySet<Replica>): boolean {
    return this.#all.some((replica) => !tried.has(replica) && replica.awayMs() === 0)
  }

  async close(): Promise<void> {
    this.#health.stop()
    clearTimeout(this.#wake)
    this.#isClosed = true
    for (const waiting of this.#line) waiting.leave(closed())
    await Promise.all(this.#all.map((replica) => replica.close()))
  }

  /** Untried ones first, then the fewest calls for its weight, then by turns. */
  #pick(tried: ReadonlySet<Replica>): Replica | undefined {
    let best: Replica | undefined
    let bestLoad = Number.POSITIVE_INFINITY
    const count = this.#all.length
    for (let offset = 0; offset < count; offset++) {
      const replica = this.#all[(this.#turn + offset) % count]
      if (!replica?.hasRoom || replica.awayMs() > 0) continue
      const load = replica.inFlight / replica.weight + (tried.has(replica) ? 1e9 : 0)
      if (load >= bestLoad) continue
      best = replica
      bestLoad = load
    }
    this.#turn = (this.#turn + 1) % count
    return best
  }

  #wait(tried: ReadonlySet<Replica>, lifetime: Lifetime): Promise<Replica> {
    return new Promise((resolve, reject) => {
      const leave = (reason: Error): void => {
        clearInterval(patience)
        this.#line.delete(waiting)
        reject(reason)
      }
      // Full servers are worth any wait, absent ones only a short one.
      const patience = setInterval(() => {
        const away = Math.min(...this.#all.map((each) => each.awayMs()))
        if (away > 0) leave(this.#allAway(away))
      }, shortWaitMs)
      const waiting: Waiting = {
        tried,
        leave,
        start: (replica) => {
          replica.take()
          clearInterval(patience)
          this.#line.delete(waiting)
          resolve(replica)
        },
      }
      this.#line.add(waiting)
      lifetime.during(leave)
      this.#wakeWhenRested()
    })
  }

  #changed(replica: Replica, state?: ReplicaState): void {
    if (state?.out) {
      this.#health.lookAfter(replica)
      const { reason, forMs } = state
      this.#log.warn({ replica: replica.origin, reason, forMs }, 'a model server is left out')
    } else if (state) {
      this.#log.info({ replica: replica.origin }, 'a model server is back')
    }
    if (this.#line.size > 0) this.#serve()
  }

  #serve(): void {
    for (const waiting of this.#line) {
      const replica = this.#pick(waiting.tried)
      if (!replica) break
      waiting.start(replica)
    }
    if (this.#line.size > 0) this.#wakeWhenRested()
  }

  #wakeWhenRested(): void {
    const resting = this.#all.map((replica) => (replica.isOut ? 0 : replica.awayMs())).filter((ms) => ms > 0)
    clearTimeout(this.#wake)
    if (resting.length > 0) this.#wake = setTimeout(() => this.#serve(), Math.min(...resting))
  }

  #allAway(ms: number): FailedTry {
    const resting = this.#all.find((replica) => !replica.isOut)
    const seconds = Math.max(1, Math.ceil(ms / 1000))
    return new FailedTry(
      `No server of the model can be asked now. Try again in ${seconds} s.`,
      resting?.restStatus ?? 503,
      {
        restMs: seconds * 1000,
      },
    )
  }
}

const closed = (): FailedTry => new FailedTry("The model's servers are not asked any more.", 503, {})
