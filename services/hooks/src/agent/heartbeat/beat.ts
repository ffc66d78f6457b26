// One heartbeat: a turn of the main session that shows it what has happened.
import type { Database } from '@atoll/kernel/db/database'
import { listPosition, type Making } from '@atoll/kernel/ids/new-object'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { AgentDefaults } from '../config.ts'
import type { Portion, SystemEvents } from '../events/events.ts'
import { isWrapped, renderEvents } from '../events/rendering.ts'
import { instructionsOf } from '../models.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { toolName } from '../tools/config.ts'
import { allowedTools } from '../tools/offered.ts'
import { leastTrusted } from '../trust/trust.ts'
import { newMarker } from '../trust/wrapper.ts'
import { findTurn, insertTurn, type TurnRow } from '../turns/store.ts'
import type { TurnRequest } from '../turns/turn.ts'
import type { Turns } from '../turns/turns.ts'
import type { BeatEnding } from './beat-ending.ts'
import { nextDue } from './config.ts'
import type { HeldHeartbeat } from './held-heartbeat.ts'
import { isEffectivelyEmpty, readHeartbeatFile } from './workspace.ts'

export type BeatReason = 'interval' | 'now' | 'asked'

interface Parts extends Making {
  db: Database
  log: Log
  config: AgentDefaults
  workspace: string
  sessions: Sessions
  events: SystemEvents
  turns: Turns
  ending: BeatEnding
}

export class Beats {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The turn that a crash or an absent platform has interrupted. */
  async resume(held: HeldHeartbeat, turnId: string): Promise<void> {
    const turn = await findTurn(this.#parts.db.queries, turnId)
    if (turn !== undefined) return this.#perform(held, turn)
    const { db, clock } = this.#parts
    await db.transaction((tx) => held.end(tx, { turn_id: null, wanted_at: clock.now() }))
  }

  async beat(held: HeldHeartbeat, reason: BeatReason): Promise<void> {
    const { events, workspace } = this.#parts
    const portion = await events.nextPortion()
    const file = await readHeartbeatFile(workspace).catch((error: unknown) => {
      this.#parts.log.warn({ err: error, workspace }, 'HEARTBEAT.md cannot be read; the heartbeat goes without it')
      return undefined
    })
    const isIdle = portion.events.length === 0 && reason === 'interval'
    if (isIdle && file !== undefined && isEffectivelyEmpty(file)) {
      await this.skip(held, reason, 'empty-heartbeat-file')
      return
    }
    await this.#perform(held, await this.#begin(held, reason, portion, file))
  }

  /** Nothing is asked of the model; the next one is due in its time. */
  async skip(held: HeldHeartbeat, reason: BeatReason, detail: string): Promise<void> {
    const { db, sessions, clock } = this.#parts
    await db.transaction(async (tx) => {
      const session = await sessions.main(tx)
      const row = this.#newTurn(session.id, reason, session.trust, '')
      await insertTurn(tx, { ...row, outcome: 'skipped', detail, ended_at: clock.now() })
      await held.end(tx, { due_at: nextDue(this.#parts.config.heartbeat, clock.now()) })
    })
  }

  async #perform(held: HeldHeartbeat, turn: TurnRow): Promise<void> {
    const { turns, ending } = this.#parts
    const result = await turns.perform(turn, { signal: held.signal, tell: async () => undefined })
    await ending.end(held, turn, result)
  }

  /** What it shows is noted with it: the same turn goes on after a crash. */
  async #begin(
    held: HeldHeartbeat,
    reason: BeatReason,
    { events: shown, hasMore }: Portion,
    file: string | undefined,
  ): Promise<TurnRow> {
    const { db, sessions, events, ids } = this.#parts
    this.#warnOfUnwrapped(shown)
    const prompt = this.#prompt(shown, file, newMarker(ids.hex()))
    return db.transaction(async (tx) => {
      const session = await sessions.main(tx)
      const trust = await sessions.use(tx, session, leastTrusted(...shown.map((event) => event.trust)))
      const turn = this.#newTurn(session.id, reason, trust, prompt)
      await insertTurn(tx, turn)
      await events.show(tx, shown, turn.id)
      // What did not fit comes right after.
      await held.change(tx, { turn_id: turn.id, wanted_at: hasMore ? this.#parts.clock.now() : null })
      return turn
    })
  }

  #prompt(shown: Portion['events'], file: string | undefined, marker: string): string {
    const { clock, config } = this.#parts
    return [
      ...(shown.length === 0 ? [] : [renderEvents(shown, marker), '']),
      config.heartbeat.prompt,
      ...(file === undefined || isEffectivelyEmpty(file) ? [] : ['', 'HEARTBEAT.md:', file.trim()]),
      '',
      `Current time: ${new Date(clock.now()).toISOString()}`,
    ].join('\n')
  }

  #newTurn(session_id: string, reason: string, trust: TurnRow['trust'], prompt: string): TurnRow {
    const { config, clock, ids } = this.#parts
    const request: TurnRequest = {
      prompt,
      model: config.model,
      instructions: instructionsOf(config.instructions, config.thinking),
      tools: allowedTools(config.tools, trust).map(toolName),
      timeoutSeconds: config.timeoutSeconds,
    }
    const id = ids.next('beat_')
    return {
      ...{ id, position: listPosition(id), kind: 'heartbeat', session_id, reason, trust },
      ...{ request: JSON.stringify(request), thread_id: null, run_id: null, runs: 0, deadline_at: null },
      ...{ outcome: null, detail: null, reply: null, outbox_id: null, created_at: clock.now(), ended_at: null },
    }
  }

  #warnOfUnwrapped(shown: Portion['events']): void {
    for (const event of shown) {
      if (event.trust === 'operator' || isWrapped(event)) continue
      const { id, source, delivery_id: delivery } = event
      this.#parts.log.warn({ event: id, source, delivery }, 'External content goes to the agent unwrapped')
    }
  }
}
