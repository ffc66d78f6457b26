// Sends what lies in the outbox: in order for each recipient, again where that helps, and never twice where the other
// side could not tell.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { ChannelKind } from '../actions.ts'
import { type Channel, NotSent } from './channel.ts'
import type { Channels } from './create-channels.ts'
import { dueMessages, nextDue, type OutboxRow, updateHeld, updateMessage } from './store.ts'

export interface SendingSettings {
  atOnce: number
  leaseMs: number
  /** Pauses between attempts; there is one attempt more. */
  pausesMs: readonly number[]
  /** How often the table is looked at when nothing told of more. */
  lookEveryMs: number
}

const minute = 60_000
const longestPatienceMs = 24 * 60 * minute
export const usualSending: SendingSettings = {
  atOnce: 8,
  leaseMs: 2 * minute,
  pausesMs: [2_000, 10_000, 30_000, 2 * minute, 5 * minute, 15 * minute, 30 * minute],
  lookEveryMs: 2_000,
}

interface SenderParts {
  db: Database
  clock: Clock
  ids: Ids
  log: Log
  channels: Channels
  settings: SendingSettings
}

export class Sender {
  readonly #parts: SenderParts
  readonly #running = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  /** Channels that asked for peace, and until when. */
  readonly #resting = new Map<ChannelKind, number>()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #again = false
  #isEnding = false

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#isEnding) return
    this.#again = true
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
      // With all hands full, the next one that ends looks again.
      if (this.#again && this.#running.size < this.#parts.settings.atOnce) this.wake()
    })
  }

  async stop(graceMs: number): Promise<void> {
    this.#isEnding = true
    clearTimeout(this.#timer)
    const hurry = setTimeout(() => this.#stopping.abort(), graceMs)
    this.#stopping.signal.addEventListener('abort', () => clearTimeout(hurry))
    this.#again = false
    await this.#looking
    await Promise.all(this.#running)
    this.#stopping.abort()
  }

  async #look(): Promise<void> {
    const { log, settings } = this.#parts
    clearTimeout(this.#timer)
    try {
      while (this.#again && this.#running.size < settings.atOnce) {
        this.#again = false
        for (const row of await this.#claim(settings.atOnce - this.#running.size)) this.#begin(row)
      }
    } catch (error) {
      log.error({ err: error }, 'The outbox could not be looked at')
    }
    await this.#sleep()
  }

  #begin(row: OutboxRow): void {
    const sending = this.#send(row)
      .catch((error: unknown) => this.#parts.log.error({ err: error, message: row.id }, 'A message could not be ended'))
      .finally(() => {
        this.#running.delete(sending)
        this.wake()
      })
    this.#running.add(sending)
  }

  #claim(limit: number): Promise<OutboxRow[]> {
    const { db, clock, ids, settings } = this.#parts
    return db.transaction(async (tx) => {
      const now = clock.now()
      const claimed: OutboxRow[] = []
      for (const row of await dueMessages(tx, now, limit, this.#resters(now))) {
        const held = { lease: ids.secret(16), due_at: now + settings.leaseMs, attempts: row.attempts + 1 }
        await updateMessage(tx, row.id, { ...held, state: 'sending' })
        claimed.push({ ...row, ...held }) // with the state it was found in
      }
      return claimed
    })
  }

  async #send(row: OutboxRow): Promise<void> {
    const channel = this.#parts.channels.get(row.channel)
    const wasCutOff = row.state === 'sending'
    try {
      if (channel === undefined) throw new NotSent(`channels.${row.channel} is not configured.`, { forGood: true })
      if (wasCutOff && !channel.deduplicates)
        throw new NotSent('It was cut off while it was sent.', { uncertain: true })
      await this.#sendParts(row, channel)
      await this.#end(row, { state: 'sent', last_error: null })
    } catch (error) {
      const failure = error instanceof NotSent ? error : new NotSent(String(error), { uncertain: true, cause: error })
      await this.#failed(row, failure, channel?.deduplicates ?? true)
    }
  }

  async #sendParts(row: OutboxRow, channel: Channel): Promise<void> {
    const { db, clock, settings } = this.#parts
    const problem = channel.problemOf(row.recipient)
    if (problem !== undefined) throw new NotSent(problem, { forGood: true })
    const parts = channel.split(row.text)
    for (const [index, text] of parts.entries()) {
      if (index < row.parts_sent) continue
      await channel.send({ to: row.recipient, text, id: `${row.id}-${index}` }, this.#stopping.signal)
      row.parts_sent = index + 1
      const kept = { parts_sent: row.parts_sent, due_at: clock.now() + settings.leaseMs }
      if (index + 1 < parts.length && !(await updateHeld(db.queries, row, kept))) throw new Error('The lease was lost.')
    }
  }

  async #failed(row: OutboxRow, failure: NotSent, deduplicates: boolean): Promise<void> {
    const { db, clock, settings, log } = this.#parts
    const mayBeThere = failure.uncertain && !deduplicates
    const pause = settings.pausesMs[row.attempts - 1]
    log.warn({ message: row.id, channel: row.channel, attempt: row.attempts, reason: failure.message }, 'Not sent')
    if (failure.forGood || mayBeThere || pause === undefined) {
      const doubt = mayBeThere ? ' It may have arrived: it is not sent again by itself.' : ''
      await this.#end(row, { state: 'dead', last_error: `${failure.message}${doubt}`.slice(0, 1_000) })
      return
    }
    const waitMs = failure.retryAfterMs ?? pause
    if (failure.retryAfterMs !== undefined) this.#resting.set(row.channel, clock.now() + waitMs)
    // Being asked to wait is no failure, unless it never ends.
    const isCounted = failure.retryAfterMs === undefined || clock.now() - row.created_at > longestPatienceMs
    await updateHeld(db.queries, row, {
      ...{ state: 'pending', lease: null, due_at: clock.now() + waitMs },
      ...{ attempts: isCounted ? row.attempts : row.attempts - 1, last_error: failure.message.slice(0, 1_000) },
    })
  }

  async #end(row: OutboxRow, end: Pick<OutboxRow, 'state' | 'last_error'>): Promise<void> {
    const { db, clock } = this.#parts
    const { parts_sent } = row
    await updateHeld(db.queries, row, { ...end, parts_sent, due_at: null, lease: null, ended_at: clock.now() })
  }

  #resters(now: number): ChannelKind[] {
    for (const [kind, until] of this.#resting) if (until <= now) this.#resting.delete(kind)
    return [...this.#resting.keys()]
  }

  /** Until the next one is due, and never too long: other nodes add too. */
  async #sleep(): Promise<void> {
    const { db, clock, settings, log } = this.#parts
    let ms = settings.lookEveryMs
    try {
      const due = await nextDue(db.queries)
      if (due !== undefined) ms = Math.min(ms, Math.max(due - clock.now(), 20))
    } catch (error) {
      log.error({ err: error }, 'The outbox could not be looked at')
    }
    if (this.#isEnding || this.#running.size >= settings.atOnce) return
    this.#timer = setTimeout(() => this.wake(), ms)
  }
}
