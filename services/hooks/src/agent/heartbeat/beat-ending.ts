// How a heartbeat ends: its reply goes out or is left, its events are done with or come again, in one commit.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Outbox, Target } from '../../ports.ts'
import type { AgentDefaults } from '../config.ts'
import type { SystemEvents } from '../events/events.ts'
import type { ToolCalls } from '../tools/tool-calls.ts'
import { changeTurn, type TurnRow } from '../turns/store.ts'
import type { TurnResult } from '../turns/turn.ts'
import { readHeartbeatReply } from './acknowledgement.ts'
import { nextDue } from './config.ts'
import type { HeldHeartbeat } from './held-heartbeat.ts'
import type { HeartbeatRow } from './store.ts'

const sameTextMs = 24 * 3600 * 1000
/** Every failed turn leaves its prompt in the thread. */
const longestBackoffMs = 600_000

interface Parts {
  db: Database
  clock: Clock
  config: AgentDefaults
  events: SystemEvents
  calls: ToolCalls
  outbox: Outbox
}

/** `ok-token`: nothing needed attention; `ok-empty`: nothing was said. */
type Disposal =
  | { outcome: 'sent'; text: string; target: Target }
  | { outcome: 'ok-token' | 'ok-empty' }
  | { outcome: 'skipped'; detail: string }

/** After so many failures in a row. */
export const backoffMs = (failures: number, longestMs: number): number =>
  Math.min(longestMs, 1000 * 2 ** Math.min(failures, 20))

export class BeatEnding {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async end(held: HeldHeartbeat, turn: TurnRow, result: TurnResult): Promise<void> {
    if (result.status === 'completed') await this.#succeed(held, turn, result)
    else await this.#fail(held, turn, result)
  }

  async #succeed(held: HeldHeartbeat, turn: TurnRow, result: TurnResult): Promise<void> {
    const { db, clock, config, events, outbox } = this.#parts
    const reply = result.texts.at(-1) ?? ''
    const disposal = await this.#disposal(held.row, turn.id, reply)
    await db.transaction(async (tx) => {
      const now = clock.now()
      const change: Partial<HeartbeatRow> = {
        turn_id: null,
        failures: 0,
        retry_at: null,
        due_at: nextDue(config.heartbeat, now),
      }
      let outbox_id: string | null = null
      if (disposal.outcome === 'sent') {
        const { text, target } = disposal
        outbox_id = await outbox.add(tx, { ...target, text, origin: turn.id, dedupe: `heartbeat:${turn.id}` })
        Object.assign(change, { last_text: text, last_text_at: now })
      }
      await events.consume(tx, turn.id)
      const detail = disposal.outcome === 'skipped' ? disposal.detail : null
      await changeTurn(tx, turn.id, { outcome: disposal.outcome, detail, reply, outbox_id, ended_at: now })
      await held.end(tx, change)
    })
  }

  /** Its events are for the next one. */
  async #fail(held: HeldHeartbeat, turn: TurnRow, { status, error }: TurnResult): Promise<void> {
    const { db, clock, config, events } = this.#parts
    const failures = held.row.failures + 1
    await db.transaction(async (tx) => {
      const now = clock.now()
      await events.reopen(tx, turn.id)
      await changeTurn(tx, turn.id, { outcome: 'failed', detail: error ?? status, ended_at: now })
      const retry_at = now + backoffMs(failures, longestBackoffMs)
      await held.end(tx, { turn_id: null, failures, retry_at, due_at: nextDue(config.heartbeat, now) })
    })
  }

  async #disposal(row: HeartbeatRow, turnId: string, reply: string): Promise<Disposal> {
    const { config, clock, outbox, calls } = this.#parts
    const { text, wasAcknowledged } = readHeartbeatReply(reply, config.heartbeat.ackMaxChars)
    if (text === '') return { outcome: wasAcknowledged ? 'ok-token' : 'ok-empty' }
    const isRecent = row.last_text_at !== null && clock.now() - row.last_text_at < sameTextMs
    if (isRecent && row.last_text === text) return { outcome: 'skipped', detail: 'duplicate' }
    const target = await outbox.target({ channel: 'last' })
    if (target === undefined) return { outcome: 'skipped', detail: 'there is no recipient' }
    if (!outbox.isConfigured(target.channel)) return { outcome: 'skipped', detail: 'the channel is not configured' }
    const messaged = await calls.messaged(turnId)
    if (messaged.some(({ channel, to }) => channel === target.channel && to === target.to)) {
      return { outcome: 'skipped', detail: 'the agent has written to the same recipient itself' }
    }
    return { outcome: 'sent', text, target }
  }
}
