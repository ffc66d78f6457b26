// Decides when the next heartbeat comes: one at a time, whatever node it is on.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { AgentDefaults } from '../config.ts'
import type { SystemEvents } from '../events/events.ts'
import { isActiveAt } from './active-hours.ts'
import type { BeatReason, Beats } from './beat.ts'
import { backoffMs } from './beat-ending.ts'
import { nextDue } from './config.ts'
import { HeartbeatLease } from './lease.ts'
import { changeHeartbeat, ensureHeartbeat, findHeartbeat, type HeartbeatRow } from './store.ts'

/** Several events at once are one heartbeat. */
const coalesceMs = 250
const busyPauseMs = 1_000
/** What other nodes, and the clock, may bring about. */
const lookEveryMs = 5_000
/** A platform that was away is asked again within this time. */
const longestAwayMs = 60_000

interface Parts {
  db: Database
  clock: Clock
  ids: Ids
  log: Log
  config: AgentDefaults
  events: SystemEvents
  beats: Beats
}

export class Heart {
  readonly #parts: Parts
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #firesAt = Number.POSITIVE_INFINITY
  #looking: Promise<void> | undefined
  /** Wanted while it was being looked, which may have been too early to see why. */
  #lookAgainMs = Number.POSITIVE_INFINITY
  #isStarted = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async start(): Promise<void> {
    const { db, clock, config } = this.#parts
    const row = await ensureHeartbeat(db.queries)
    // The data folder is locked: whoever held the lease is gone.
    if (db.kind === 'sqlite') await changeHeartbeat(db.queries, { lease_token: null, lease_until: null })
    const latest = nextDue(config.heartbeat, clock.now())
    const due_at = latest === null ? null : Math.min(row.due_at ?? latest, latest)
    if (due_at !== row.due_at) await changeHeartbeat(db.queries, { due_at })
    this.#isStarted = true
    this.#lookIn(0)
  }

  async stop(): Promise<void> {
    this.#isStarted = false
    clearTimeout(this.#timer)
    this.#stopping.abort(new Error('The gateway is stopping.'))
    await this.#looking
  }

  /** Something urgent has been committed. */
  nudge(): void {
    this.#lookIn(coalesceMs)
  }

  /** One at once, as the operator's own; also when this process dies before it. */
  async request(): Promise<void> {
    const { db, clock } = this.#parts
    await ensureHeartbeat(db.queries)
    await changeHeartbeat(db.queries, { wanted_at: clock.now(), retry_at: null })
    this.#lookIn(0)
  }

  status(): Promise<HeartbeatRow> {
    return findHeartbeat(this.#parts.db.queries)
  }

  #lookIn(ms: number): void {
    if (!this.#isStarted) return
    if (this.#looking !== undefined) {
      this.#lookAgainMs = Math.min(this.#lookAgainMs, ms)
      return
    }
    const firesAt = performance.now() + ms
    if (firesAt >= this.#firesAt) return
    clearTimeout(this.#timer)
    this.#firesAt = firesAt
    this.#timer = setTimeout(() => this.#fire(), ms)
  }

  #fire(): void {
    this.#firesAt = Number.POSITIVE_INFINITY
    this.#lookAgainMs = Number.POSITIVE_INFINITY
    this.#looking = this.#look()
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) this.#parts.log.error({ err: error }, 'A heartbeat failed')
        return busyPauseMs
      })
      .then((nextMs) => {
        this.#looking = undefined
        this.#lookIn(Math.min(nextMs, this.#lookAgainMs))
      })
  }

  /** Resolves to when it should be looked again, in milliseconds. */
  async #look(): Promise<number> {
    const { db, clock, ids } = this.#parts
    const row = await findHeartbeat(db.queries)
    const due = await this.#whatIsDue(row)
    if (due === undefined) return Math.max(1, Math.min(lookEveryMs, ...waits(row, clock.now())))
    const lease = await HeartbeatLease.take(db, clock, ids.hex())
    if (lease === undefined) return busyPauseMs
    try {
      // Another node may have done it meanwhile.
      const still = await this.#whatIsDue(lease.row)
      if (still !== undefined) await this.#beat(lease, still)
    } finally {
      await lease.release()
    }
    return coalesceMs
  }

  async #beat(lease: HeartbeatLease, due: BeatReason | 'resume'): Promise<void> {
    const { beats, config, clock, db, log } = this.#parts
    const signal = AbortSignal.any([lease.signal, this.#stopping.signal])
    try {
      if (due === 'resume') await beats.resume(lease, lease.row.turn_id ?? '', signal)
      else if (due === 'asked' || isActiveAt(config.heartbeat.activeHours, clock.now())) {
        await beats.beat(lease, due, signal)
      } else await beats.skip(lease, due, 'quiet-hours')
    } catch (error) {
      if (signal.aborted) return
      const failures = lease.row.failures + 1
      log.warn({ err: error, failures }, 'A heartbeat could not be finished; it is tried again')
      await lease.change(db.queries, { failures, retry_at: clock.now() + backoffMs(failures, longestAwayMs) })
    }
  }

  async #whatIsDue(row: HeartbeatRow): Promise<BeatReason | 'resume' | undefined> {
    const { clock, config, events } = this.#parts
    const now = clock.now()
    if (row.retry_at !== null && row.retry_at > now) return undefined
    if (row.turn_id !== null) return 'resume'
    const isDue = row.due_at !== null && row.due_at <= now
    if (row.wanted_at !== null) return 'asked'
    // In quiet hours events wait; what is due is only noted.
    if (!isActiveAt(config.heartbeat.activeHours, now)) return isDue ? 'interval' : undefined
    if (await events.hasUrgent()) return 'now'
    return isDue ? 'interval' : undefined
  }
}

/** Until something of the row comes due. */
const waits = (row: HeartbeatRow, now: number): number[] =>
  [row.due_at, row.retry_at].flatMap((at) => (at === null || at <= now ? [] : [at - now]))
