// Runs what waits: as many at once as configured, each session's deliveries in their order, on whichever node has room.
import { setTimeout as delay } from 'node:timers/promises'
import type { ClaimedDelivery, DeliveryQueue } from '../ports.ts'
import { handBack } from './attempts.ts'
import { HeldDelivery } from './held-delivery.ts'
import { endAllLeases, soonestDue } from './lanes.ts'
import { hearNews } from './news.ts'
import type { QueueParts } from './queue-parts.ts'
import { settleFailure } from './settle-failure.ts'
import { type Catch, type Taken, takeDeliveries } from './take.ts'

export type RunDelivery = (delivery: ClaimedDelivery) => Promise<void>

/** For all that no event told. */
const lookEveryMs = 5_000
const overdueMs = 1_000
/** How long a run may take to notice that it is to stop. */
const abortGraceMs = 2_000
const noCatch: Catch = { taken: [], lanes: 0, unqueued: 0 }

export class Queue implements DeliveryQueue {
  readonly #parts: QueueParts
  readonly #running = new Map<HeldDelivery, Promise<void>>()
  #run: RunDelivery | undefined
  #claiming: Promise<void> | undefined
  #isHungry = false
  #isStopped = false
  #alarm: NodeJS.Timeout | undefined
  #cancel: (() => void)[] = []

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  async start(run: RunDelivery): Promise<void> {
    const { db, clock, events } = this.#parts.kernel
    this.#run = run
    // The data folder is locked: whoever held leases was an earlier process, and that one is gone.
    if (db.kind === 'sqlite') await endAllLeases(db.queries, clock.now())
    this.#cancel = [
      hearNews(events, ({ isDue }) => {
        if (isDue) this.wake()
      }),
      events.onGap(() => this.wake()),
    ]
    this.wake()
  }

  /** Takes nothing new, gives what runs `graceMs`, then breaks it off and hands it back. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#alarm)
    for (const cancel of this.#cancel.splice(0)) cancel()
    await this.#claiming
    await settled(this.#running.values(), graceMs)
    const left = [...this.#running.keys()]
    for (const held of left) held.abort(new Error('the node is shutting down'))
    await settled(this.#running.values(), abortGraceMs)
    for (const held of left) if (!held.isFinished) await this.#handBack(held)
  }

  wake(): void {
    if (this.#run === undefined || this.#isStopped) return
    this.#isHungry = true
    this.#claiming ??= this.#claimWhileHungry().finally(() => {
      this.#claiming = undefined
      if (this.#mayClaim) this.wake()
      else void this.#setAlarm()
    })
  }

  get #free(): number {
    return this.#parts.config.concurrency - this.#running.size
  }

  get #mayClaim(): boolean {
    return this.#isHungry && !this.#isStopped && this.#free > 0
  }

  async #claimWhileHungry(): Promise<void> {
    while (this.#mayClaim) {
      this.#isHungry = false
      const limit = this.#free
      const { taken, lanes, unqueued } = await this.#take(limit)
      this.#parts.depth.add(-unqueued)
      if (lanes === limit) this.#isHungry = true
      for (const one of taken) this.#launch(one)
    }
  }

  get #leaseMs(): number {
    return this.#parts.config.leaseSeconds * 1000
  }

  async #take(limit: number): Promise<Catch> {
    const { kernel, config, died } = this.#parts
    try {
      return await takeDeliveries({ kernel, maxAttempts: config.maxAttempts, leaseMs: this.#leaseMs, died }, limit)
    } catch (error) {
      kernel.log.error({ err: error }, 'Could not take deliveries; trying again.')
      return noCatch
    }
  }

  #launch(taken: Taken): void {
    const held = this.#hold(taken)
    if (held === undefined) return
    const run = this.#attempt(held).finally(() => {
      held.release()
      this.#running.delete(held)
      this.wake()
    })
    this.#running.set(held, run)
  }

  /** Undefined for a row that cannot be read: its lease runs out, its attempts are used up, and it ends as dead. */
  #hold(taken: Taken): HeldDelivery | undefined {
    const { kernel } = this.#parts
    try {
      return new HeldDelivery(kernel, taken, this.#leaseMs)
    } catch (error) {
      kernel.log.error({ err: error, delivery: taken.id }, 'A delivery cannot be read.')
      return undefined
    }
  }

  /** Never rejects. */
  async #attempt(held: HeldDelivery): Promise<void> {
    let failure: unknown
    try {
      await this.#run?.(held)
      if (!held.isFinished) failure = new Error('the run ended without an outcome')
    } catch (error) {
      failure = error
    }
    if (held.isFinished && failure !== undefined) {
      this.#parts.kernel.log.error({ err: failure, delivery: held.id }, 'A run failed after its end.')
    }
    if (held.isFinished || held.signal.aborted) return
    const isQueued = await settleFailure(this.#parts, held, failure)
    if (isQueued) this.#parts.depth.add(1)
  }

  async #handBack({ taken }: HeldDelivery): Promise<void> {
    const { db, clock, log } = this.#parts.kernel
    try {
      await db.transaction((tx) => handBack(tx, taken, clock.now()))
    } catch (error) {
      log.error({ err: error, delivery: taken.id }, 'Could not hand a delivery back; its lease will run out.')
    }
  }

  /** For what is due later: the next attempt of what failed, and leases of nodes that are gone. */
  async #setAlarm(): Promise<void> {
    if (this.#isStopped || this.#free === 0) return
    const { db, clock } = this.#parts.kernel
    const dueAt = await soonestDue(db.queries).catch(() => undefined)
    const inMs = (dueAt ?? Number.POSITIVE_INFINITY) - clock.now()
    clearTimeout(this.#alarm)
    if (this.#isStopped) return
    // What is due and was not taken is paused, or another node is taking it.
    this.#alarm = setTimeout(() => this.wake(), inMs <= 0 ? overdueMs : Math.min(inMs + 1, lookEveryMs))
  }
}

async function settled(runs: Iterable<Promise<void>>, withinMs: number): Promise<void> {
  const over = new AbortController()
  const timeout = delay(withinMs, undefined, { signal: over.signal }).catch(() => undefined)
  await Promise.race([Promise.allSettled(runs), timeout])
  over.abort()
}
