// Runs deliveries, as jobs: each session's in their order, on whichever node has room, in turns between senders.
import type { Tx } from '@atoll/kernel/db/database'
import type { JobKind, ReleasedJob, RunningJob } from '@atoll/kernel/jobs/jobs'
import type { Kernel } from '@atoll/kernel/kernel'
import { z } from 'zod'
import type { QueueConfig } from '../ingress/config.ts'
import type { AgentRuntime, ClaimedDelivery, DeliveryQueue } from '../ports.ts'
import { addEvent } from './delivery-events.ts'
import type { QueueDepth } from './depth.ts'
import type { NewDeliveryRow } from './insert.ts'
import { tellNews } from './news.ts'
import { type Paused, readPauses } from './pauses.ts'
import { actionOf, type DeliveryRow } from './row.ts'
import { RunningDelivery } from './running-delivery.ts'
import { beginAttempt, buryDelivery, requeueDelivery } from './store.ts'

const DeliveryJob = z.object({ deliveryId: z.string() })
type DeliveryJob = z.output<typeof DeliveryJob>

export type RunDelivery = (delivery: ClaimedDelivery) => Promise<void>

interface QueueParts {
  kernel: Pick<Kernel, 'db' | 'clock' | 'events' | 'jobs'>
  config: QueueConfig
  depth: QueueDepth
  /** In the commit that buries a delivery. */
  died?: AgentRuntime['died'] | undefined
}

/** Also in migrations. */
const tenantOf = ({ mapping, sender }: Pick<DeliveryRow, 'mapping' | 'sender'>): string =>
  mapping === null ? `sender:${sender}` : tenantOfMapping(mapping)
const tenantOfMapping = (mapping: string): string => `mapping:${mapping}`

export class DeliveryJobs implements DeliveryQueue {
  readonly #parts: QueueParts
  readonly #kind: JobKind<DeliveryJob>
  #run: RunDelivery | undefined
  #paused: Promise<Paused> | undefined

  /** Before the jobs start: it registers a kind of them. */
  constructor(parts: QueueParts) {
    const { maxAttempts, leaseSeconds, concurrency } = parts.config
    this.#parts = parts
    this.#kind = {
      name: 'hook-delivery',
      payload: DeliveryJob,
      ...{ maxAttempts, leaseSeconds, concurrency },
      backoffSeconds: (attempt) => pauseSeconds(parts.config, attempt),
      held: () => this.#held(),
      run: (job) => this.#attempt(job),
      released: (tx, job) => this.#released(tx, job),
    }
    parts.kernel.jobs.register(this.#kind)
  }

  async start(run: RunDelivery): Promise<void> {
    this.#run = run
    await this.#parts.kernel.db.transaction((tx) => this.wake(tx))
  }

  stop(graceMs: number): Promise<void> {
    return this.#parts.kernel.jobs.drain(this.#kind, graceMs)
  }

  /** In the transaction that accepts them. */
  add(tx: Tx, rows: readonly NewDeliveryRow[]): Promise<void> {
    const work = rows.map((row) => ({
      payload: { deliveryId: row.id },
      tenant: tenantOf(row),
      lane: row.session_key ?? undefined,
    }))
    return this.#parts.kernel.jobs.enqueueAll(tx, this.#kind, work)
  }

  /** What is paused has changed: there may be something to run. */
  wake(tx: Tx): Promise<void> {
    this.#parts.kernel.db.afterCommit(tx, () => {
      this.#paused = undefined
    })
    return this.#parts.kernel.jobs.wake(tx, this.#kind)
  }

  async #held(): Promise<'all' | string[]> {
    const { all, mappings } = await this.#readPaused()
    return this.#run === undefined || all ? 'all' : mappings.map(tenantOfMapping)
  }

  /** Asked for after every commit. Who has the database alone need not look again before it changes something. */
  async #readPaused(): Promise<Paused> {
    const { db } = this.#parts.kernel
    if (db.kind !== 'sqlite') return readPauses(db.queries)
    this.#paused ??= readPauses(db.queries)
    try {
      return await this.#paused
    } catch (error) {
      this.#paused = undefined
      throw error
    }
  }

  async #attempt(job: RunningJob<DeliveryJob>): Promise<void> {
    const row = await this.#begin(job)
    // Forgotten, or ended: there is nothing left to run.
    if (row === undefined) return
    const delivery = new RunningDelivery(this.#parts.kernel, row, job)
    await this.#run?.(delivery)
    if (!delivery.isFinished) throw new Error('the run ended without an outcome')
  }

  #begin(job: RunningJob<DeliveryJob>): Promise<DeliveryRow | undefined> {
    const { db, clock, events } = this.#parts.kernel
    return db.transaction(async (tx) => {
      await job.confirm(tx)
      const row = await beginAttempt(tx, job.payload.deliveryId, { attempts: job.attempt, started_at: clock.now() })
      if (row === undefined) return undefined
      await tellNews(events, tx, [row.id])
      db.afterCommit(tx, () => this.#parts.depth.add(row.state === 'queued' ? -1 : 0))
      return row
    })
  }

  async #released(tx: Tx, { payload, ...how }: ReleasedJob<DeliveryJob>): Promise<void> {
    const { kernel, depth } = this.#parts
    const id = payload.deliveryId
    if (how.end === 'dead') await this.#bury(tx, id, how)
    else {
      const { attempts, error, retryAt } = how
      const failed = how.end === 'retry' ? { error } : {}
      const wasRunning = await requeueDelivery(tx, id, { attempts, ...failed })
      const detail = { attempt: attempts, error, retryAt }
      if (how.end === 'retry') await addEvent(tx, id, kernel.clock.now(), 'attempt.failed', detail)
      if (wasRunning) kernel.db.afterCommit(tx, () => depth.add(1))
    }
    await tellNews(kernel.events, tx, [id])
  }

  async #bury(
    tx: Tx,
    id: string,
    { attempts, error }: Pick<ReleasedJob<DeliveryJob>, 'attempts' | 'error'>,
  ): Promise<void> {
    const now = this.#parts.kernel.clock.now()
    const row = await buryDelivery(tx, id, { attempts, error, ended_at: now })
    if (row === undefined) return
    await addEvent(tx, id, now, 'dead', { attempt: attempts, error })
    const action = readableAction(row)
    if (action?.kind === 'agent') await this.#parts.died?.(tx, { id, action, trust: row.trust }, error)
  }
}

/** What cannot be read is buried all the same. */
function readableAction(row: DeliveryRow): ReturnType<typeof actionOf> {
  try {
    return actionOf(row)
  } catch {
    return null
  }
}

/** Longer each time, and never the same for all: what failed together need not come back together. */
function pauseSeconds({ backoffSeconds, maxBackoffSeconds }: QueueConfig, attempt: number): number {
  return Math.min(maxBackoffSeconds, backoffSeconds * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
}
