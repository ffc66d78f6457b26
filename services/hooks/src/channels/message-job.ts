// Sends one message of the outbox, as a job: in order for each recipient, again where that helps, and never twice where
// the other side could not tell.
import type { Database, Tx } from '@atoll/kernel/db/database'
import { JobFailed, type JobKind, LeaseLost, type ReleasedJob, type RunningJob } from '@atoll/kernel/jobs/jobs'
import type { Kernel } from '@atoll/kernel/kernel'
import { z } from 'zod'
import type { ChannelKind } from '../actions.ts'
import { type Channel, NotSent } from './channel.ts'
import type { Channels } from './create-channels.ts'
import { changeMessage, findMessage, type OutboxRow, takeBackMark } from './store.ts'

const MessageJob = z.object({ messageId: z.string() })
export type MessageJob = z.output<typeof MessageJob>

export interface SendingSettings {
  atOnce: number
  leaseMs: number
  /** Pauses between attempts; there is one attempt more. */
  pausesMs: readonly number[]
}

const minute = 60_000
const longestPatienceMs = 24 * 60 * minute
const maxErrorLetters = 1_000
export const usualSending: SendingSettings = {
  atOnce: 8,
  leaseMs: 2 * minute,
  pausesMs: [2_000, 10_000, 30_000, 2 * minute, 5 * minute, 15 * minute, 30 * minute],
}

/** Of the kind of jobs; also in migrations. */
export const messageKind = 'hook-message'

/** One line for each recipient; also in migrations. */
export const laneOf = ({ channel, recipient }: Pick<OutboxRow, 'channel' | 'recipient'>): string =>
  `${channel} ${recipient}`

interface SenderParts extends Pick<Kernel, 'clock'> {
  db: Database
  channels: Channels
  settings: SendingSettings
}

export class Sender {
  readonly kind: JobKind<MessageJob>
  readonly #parts: SenderParts
  /** Channels that asked for peace, and until when. */
  readonly #resting = new Map<ChannelKind, number>()
  /** Nothing is sent before the start. */
  isStarted = false

  constructor(parts: SenderParts) {
    const { atOnce, leaseMs, pausesMs } = parts.settings
    this.#parts = parts
    this.kind = {
      name: messageKind,
      payload: MessageJob,
      maxAttempts: pausesMs.length + 1,
      leaseSeconds: leaseMs / 1000,
      concurrency: atOnce,
      // A channel that hangs leaves room for the others.
      tenantConcurrency: Math.max(1, atOnce - 2),
      backoffSeconds: (attempt) => (pausesMs[attempt - 1] ?? 0) / 1000,
      held: async () => (this.isStarted ? this.#resters() : 'all'),
      run: (job) => this.#send(job),
      released: (tx, job) => this.#released(tx, job),
    }
  }

  async #send(job: RunningJob<MessageJob>): Promise<void> {
    const { row, wasCutOff } = await this.#begin(job)
    if (row === undefined) return
    const channel = this.#parts.channels.get(row.channel)
    try {
      if (channel === undefined) throw new NotSent(`channels.${row.channel} is not configured.`, { forGood: true })
      if (wasCutOff && !channel.deduplicates)
        throw new NotSent('It was cut off while it was sent.', { uncertain: true })
      await this.#sendParts(job, row, channel)
    } catch (error) {
      const failure = error instanceof NotSent ? error : new NotSent(String(error), { uncertain: true, cause: error })
      if (job.signal.aborted) await this.#brokenOff(job, failure)
      throw this.#failed(row, failure, channel?.deduplicates ?? true)
    }
  }

  /** Marked before it is sent: found so by another attempt, it may have reached the other side. */
  #begin(job: RunningJob<MessageJob>): Promise<{ row?: OutboxRow; wasCutOff: boolean }> {
    return this.#parts.db.transaction(async (tx) => {
      await job.confirm(tx)
      const row = await findMessage(tx, job.payload.messageId)
      if (row === undefined || row.ended_at !== null) return { wasCutOff: false }
      await changeMessage(tx, row.id, { state: 'sending', attempts: job.attempt, due_at: null })
      return { row, wasCutOff: row.state === 'sending' }
    })
  }

  async #sendParts(job: RunningJob<MessageJob>, row: OutboxRow, channel: Channel): Promise<void> {
    const { db, clock } = this.#parts
    const problem = channel.problemOf(row.recipient)
    if (problem !== undefined) throw new NotSent(problem, { forGood: true })
    const parts = channel.split(row.text)
    for (const [index, text] of parts.entries()) {
      if (index < row.parts_sent) continue
      await channel.send({ to: row.recipient, text, id: `${row.id}-${index}` }, job.signal)
      const parts_sent = index + 1
      if (parts_sent === parts.length) break
      await db.transaction(async (tx) => {
        await job.confirm(tx)
        await changeMessage(tx, row.id, { parts_sent })
      })
    }
    await db.transaction(async (tx) => {
      const end = { state: 'sent', last_error: null, ended_at: clock.now() } as const
      await changeMessage(tx, row.id, { ...end, parts_sent: parts.length })
      await job.finish(tx)
    })
  }

  /** A shutdown came between: what surely is not there can be sent again, also where nobody could tell. */
  async #brokenOff({ signal, payload }: RunningJob<MessageJob>, failure: NotSent): Promise<void> {
    const isOurs = !(signal.reason instanceof LeaseLost)
    if (isOurs && !failure.uncertain) await takeBackMark(this.#parts.db.queries, payload.messageId)
  }

  #failed(row: OutboxRow, failure: NotSent, deduplicates: boolean): JobFailed {
    const { clock } = this.#parts
    const { message, retryAfterMs, forGood, cause } = failure
    const mayBeThere = failure.uncertain && !deduplicates
    const doubt = mayBeThere ? ' It may have arrived: it is not sent again by itself.' : ''
    if (retryAfterMs !== undefined) this.#resting.set(row.channel, clock.now() + retryAfterMs)
    // Being asked to wait is no failure, unless it never ends.
    const isCounted = retryAfterMs === undefined || clock.now() - row.created_at > longestPatienceMs
    const text = `${message}${doubt}`.slice(0, maxErrorLetters)
    return new JobFailed(text, { isFinal: forGood || mayBeThere, retryAfterMs, isCounted, cause })
  }

  async #released(tx: Tx, { payload, attempts, end, error, retryAt }: ReleasedJob<MessageJob>): Promise<void> {
    const id = payload.messageId
    // The mark stays on what was broken off: it may have arrived.
    if (end === 'handed back') await changeMessage(tx, id, { attempts, due_at: retryAt ?? null })
    else if (end === 'retry')
      await changeMessage(tx, id, { attempts, state: 'pending', due_at: retryAt ?? null, last_error: error })
    else {
      const ended_at = this.#parts.clock.now()
      await changeMessage(tx, id, { attempts, state: 'dead', due_at: null, last_error: error, ended_at })
    }
  }

  #resters(): ChannelKind[] {
    const now = this.#parts.clock.now()
    for (const [kind, until] of this.#resting) if (until <= now) this.#resting.delete(kind)
    return [...this.#resting.keys()]
  }
}
