// Decides when the next heartbeat comes. It is one job, so one node at a time has it: the job looks what is due, does
// it, and waits for the next time that something is.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { JobKind, Jobs, RunningJob } from '@atoll/kernel/jobs/jobs'
import type { Log } from '@atoll/kernel/telemetry/log'
import { z } from 'zod'
import type { AgentDefaults } from '../config.ts'
import type { SystemEvents } from '../events/events.ts'
import { pause } from '../turns/pause.ts'
import { isActiveAt, nextActiveAt } from './active-hours.ts'
import type { BeatReason, Beats } from './beat.ts'
import { backoffMs } from './beat-ending.ts'
import { nextDue } from './config.ts'
import { HeldHeartbeat } from './held-heartbeat.ts'
import { changeHeartbeat, findHeartbeat, type HeartbeatRow } from './store.ts'

/** Several events at once are one heartbeat. */
const coalesceMs = 250
const leaseSeconds = 30
/** A database that was away is asked again after this time. */
const pauseSeconds = 1
/** A platform that was away is asked again within this time. */
const longestAwayMs = 60_000
const onlyKey = 'main'

interface Parts {
  db: Database
  clock: Clock
  jobs: Pick<Jobs, 'register' | 'enqueue' | 'drain'>
  log: Log
  config: AgentDefaults
  events: SystemEvents
  beats: Beats
}

export class Heart {
  readonly #parts: Parts
  readonly #kind: JobKind<null>
  #isStarted = false

  /** Before the jobs start: it registers a kind of them. */
  constructor(parts: Parts) {
    this.#parts = parts
    this.#kind = {
      name: 'hook-heartbeat',
      payload: z.null(),
      // What is due stays due: there is no attempt after which it would not matter any more.
      maxAttempts: Number.MAX_SAFE_INTEGER,
      ...{ leaseSeconds, concurrency: 1 },
      backoffSeconds: () => pauseSeconds,
      held: async () => (this.#isStarted ? [] : 'all'),
      run: (job) => this.#look(job),
    }
    parts.jobs.register(this.#kind)
  }

  async start(): Promise<void> {
    const { db, clock, config } = this.#parts
    this.#isStarted = true
    await db.transaction(async (tx) => {
      const row = await findHeartbeat(tx)
      const latest = nextDue(config.heartbeat, clock.now())
      await changeHeartbeat(tx, { due_at: latest === null ? null : Math.min(row.due_at ?? latest, latest) })
      await this.wake(tx)
    })
  }

  stop(): Promise<void> {
    this.#isStarted = false
    return this.#parts.jobs.drain(this.#kind, 0)
  }

  /** Something is due once `tx` is committed. */
  wake(tx: Tx): Promise<void> {
    return this.#lookAt(tx, this.#parts.clock.now())
  }

  /** One at once, as the operator's own; also when this process dies before it. */
  async request(): Promise<void> {
    const { db, clock } = this.#parts
    await db.transaction(async (tx) => {
      await changeHeartbeat(tx, { wanted_at: clock.now(), retry_at: null })
      await this.wake(tx)
    })
  }

  status(): Promise<HeartbeatRow> {
    return findHeartbeat(this.#parts.db.queries)
  }

  /** The one job comes no later than this; while it runs, it runs once more. */
  async #lookAt(tx: Tx, runAt: number): Promise<void> {
    await this.#parts.jobs.enqueue(tx, this.#kind, null, { uniqueKey: onlyKey, again: true, runAt })
  }

  async #look(job: RunningJob<null>): Promise<void> {
    const { db, clock, log } = this.#parts
    const row = await findHeartbeat(db.queries)
    const due = await this.#whatIsDue(row)
    // A turn that is taken up again shows nothing of what has come since it began.
    const held = new HeldHeartbeat(row, job, (tx, changed) => this.#lookWhenDue(tx, changed, due === 'resume'))
    try {
      if (due === undefined) await db.transaction((tx) => held.end(tx, {}))
      else await this.#beat(held, due)
    } catch (error) {
      job.signal.throwIfAborted()
      const failures = row.failures + 1
      log.warn({ err: error, failures }, 'A heartbeat could not be finished; it is tried again')
      const retry_at = clock.now() + backoffMs(failures, longestAwayMs)
      await db.transaction((tx) => held.end(tx, { failures, retry_at }))
    }
  }

  async #beat(held: HeldHeartbeat, due: BeatReason | 'resume'): Promise<void> {
    const { beats, config, clock } = this.#parts
    if (due === 'resume') await beats.resume(held, held.row.turn_id ?? '')
    else if (due === 'asked') await beats.beat(held, due)
    else if (!isActiveAt(config.heartbeat.activeHours, clock.now())) await beats.skip(held, due, 'quiet-hours')
    else {
      if (due === 'now') await pause(coalesceMs, held.signal)
      await beats.beat(held, due)
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

  /** Events that come meanwhile wake it by themselves; those that had to wait are looked for here. */
  async #lookWhenDue(tx: Tx, row: HeartbeatRow, mayHaveMore: boolean): Promise<void> {
    const { retry_at, wanted_at, turn_id, due_at } = row
    const { clock, config } = this.#parts
    const now = clock.now()
    if (retry_at !== null && retry_at > now) return this.#lookAt(tx, retry_at)
    if (mayHaveMore || wanted_at !== null || turn_id !== null) return this.#lookAt(tx, now)
    const endOfQuiet = nextActiveAt(config.heartbeat.activeHours, now)
    const times = [due_at, endOfQuiet].filter((time) => time !== null)
    if (times.length > 0) await this.#lookAt(tx, Math.min(...times))
  }
}
