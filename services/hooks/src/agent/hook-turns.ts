// Isolated turns: a hook's message in the session of its key, its summary on the main session, its reply to a channel.
import type { Database, Tx } from '@atoll/kernel/db/database'
import { listPosition, type Making } from '@atoll/kernel/ids/new-object'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { ClaimedDelivery, Outbox, Outcome, Target } from '../ports.ts'
import type { AgentDefaults } from './config.ts'
import type { SystemEvents } from './events/events.ts'
import { isOnlyAcknowledgement } from './heartbeat/acknowledgement.ts'
import { chooseModel, chooseThinking, instructionsOf } from './models.ts'
import type { Sessions } from './sessions/sessions.ts'
import { toolName } from './tools/config.ts'
import { allowedTools } from './tools/offered.ts'
import type { ToolCalls } from './tools/tool-calls.ts'
import { hookPrompt } from './trust/prompt.ts'
import { newMarker } from './trust/wrapper.ts'
import { changeTurn, findTurn, insertTurn, type TurnRow } from './turns/store.ts'
import { summaryOf, type TurnRequest, type TurnResult } from './turns/turn.ts'
import type { Turns } from './turns/turns.ts'

interface Parts extends Making {
  db: Database
  log: Log
  config: AgentDefaults
  sessions: Sessions
  events: SystemEvents
  turns: Turns
  calls: ToolCalls
  outbox: Outbox
}

type LostDelivery = Pick<ClaimedDelivery, 'id' | 'action' | 'trust'>

type Disposal = { send: Target } | { suppressed: string }

const states = { completed: 'succeeded', failed: 'failed', timed_out: 'timed_out' } as const
/** How the summary calls what went wrong. */
const statusWords = { failed: 'error', timed_out: 'timeout' } as const

export class HookTurns {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async run(delivery: ClaimedDelivery): Promise<void> {
    const turn = (await findTurn(this.#parts.db.queries, delivery.id)) ?? (await this.#begin(delivery))
    await delivery.tell({ type: 'turn.started', attempt: delivery.attempt, trust: turn.trust })
    const result = await this.#parts.turns.perform(turn, {
      signal: delivery.signal,
      tell: (event) => delivery.tell(event),
    })
    await this.#finish(delivery, turn, result)
  }

  /** No attempt succeeded: the main session hears of it all the same. HOOK-067 */
  async died(tx: Tx, { id, action, trust }: LostDelivery, error: string): Promise<void> {
    const { events, clock } = this.#parts
    const text = `Hook ${action.name} (error): ${summaryOf({ status: 'failed', texts: [], error })}`
    await events.add(tx, { text, trust, source: 'summary of a hook', mode: action.wakeMode, deliveryId: id })
    await changeTurn(tx, id, { outcome: 'failed', detail: error, ended_at: clock.now() })
  }

  /** Noted before anything is asked of the platform. */
  async #begin(delivery: ClaimedDelivery): Promise<TurnRow> {
    const { db, ids, log, sessions } = this.#parts
    const { id, action, trust } = delivery
    const isUnsafe = action.allowUnsafeExternalContent === true
    if (isUnsafe) log.warn({ delivery: id, mapping: action.mapping }, 'External content goes to the agent unwrapped')
    const marker = newMarker(ids.hex())
    const source = action.mapping === undefined ? 'webhook' : `webhook ${action.mapping}`
    const prompt = hookPrompt({ action, source, trust, isUnsafe, receivedAt: delivery.receivedAt, marker })
    return db.transaction(async (tx) => {
      const session = await sessions.ofHook(tx, action.sessionKey)
      const seen = await sessions.use(tx, session, trust)
      const row = this.#newTurn(delivery, session.id, seen, prompt)
      await insertTurn(tx, row)
      return row
    })
  }

  #newTurn({ id, action }: ClaimedDelivery, session_id: string, trust: TurnRow['trust'], prompt: string): TurnRow {
    const { config, clock, ids } = this.#parts
    const request: TurnRequest = {
      prompt,
      model: chooseModel(config, action.model),
      instructions: instructionsOf(config.instructions, chooseThinking(config, action.thinking)),
      tools: allowedTools(config.tools, trust).map(toolName),
      timeoutSeconds: action.timeoutSeconds ?? config.timeoutSeconds,
    }
    return {
      ...{ id, position: listPosition(ids.next('turn_')), kind: 'hook', session_id, reason: 'hook', trust },
      ...{ request: JSON.stringify(request), thread_id: null, run_id: null, runs: 0, deadline_at: null },
      ...{ outcome: null, detail: null, reply: null, outbox_id: null, created_at: clock.now(), ended_at: null },
    }
  }

  async #finish(delivery: ClaimedDelivery, turn: TurnRow, result: TurnResult): Promise<void> {
    const { db, events, clock } = this.#parts
    const { action, id } = delivery
    const { name, channel, to } = action
    const reply = result.status === 'completed' ? (result.texts.at(-1) ?? '') : ''
    const summary = summaryOf(result)
    const disposal = await this.#disposal(delivery, result.status, reply)
    await db.transaction(async (tx) => {
      // HOOK-042, HOOK-067: the name and the summary are as external as what they came from.
      const status = result.status === 'completed' ? '' : ` (${statusWords[result.status]})`
      const text = `Hook ${name}${status}: ${summary}`
      await events.add(tx, {
        text,
        trust: turn.trust,
        source: 'summary of a hook',
        mode: action.wakeMode,
        deliveryId: id,
      })
      const sent = await this.#dispose(tx, id, reply, disposal)
      if (to !== undefined && channel !== 'last' && this.#isWorthRemembering(delivery)) {
        await this.#parts.outbox.remember(tx, { channel, to })
      }
      const outbox_id = 'outboxId' in sent ? sent.outboxId : null
      const outcome = states[result.status]
      await changeTurn(tx, id, { outcome, detail: result.error ?? null, reply, outbox_id, ended_at: clock.now() })
      await delivery.finish(tx, outcomeOf(result, { summary, reply, sent }))
    })
  }

  /** Where the operator's alerts go is no stranger's to say, and a mapping's recipient is the mapping's own. */
  #isWorthRemembering({ action: { mapping, setsRoute, deliver, channel } }: ClaimedDelivery): boolean {
    if (setsRoute !== true || mapping !== undefined) return false
    return deliver && channel !== 'last' && this.#parts.outbox.isConfigured(channel)
  }

  async #disposal(delivery: ClaimedDelivery, status: TurnResult['status'], reply: string): Promise<Disposal> {
    const { outbox, calls } = this.#parts
    const { deliver, channel, to } = delivery.action
    if (!deliver) return { suppressed: 'deliver is false' }
    if (status !== 'completed') return { suppressed: 'there is no reply' }
    if (reply === '') return { suppressed: 'the reply is empty' }
    if (isOnlyAcknowledgement(reply)) return { suppressed: 'the reply is only an acknowledgement' }
    if (channel !== 'last' && !outbox.isConfigured(channel)) {
      return { suppressed: `the channel ${channel} is not configured` }
    }
    const target = await outbox.target({ channel, ...(to === undefined ? {} : { to }) })
    if (target === undefined) return { suppressed: 'there is no recipient' }
    if (!outbox.isConfigured(target.channel)) return { suppressed: `the channel ${target.channel} is not configured` }
    const messaged = await calls.messaged(delivery.id)
    const isThere = messaged.some((one) => one.channel === target.channel && one.to === target.to)
    return isThere ? { suppressed: 'the agent has written to the same recipient itself' } : { send: target }
  }

  async #dispose(tx: Tx, id: string, text: string, disposal: Disposal): Promise<NonNullable<Outcome['delivery']>> {
    if ('suppressed' in disposal) return disposal
    const message = { ...disposal.send, text, origin: id, dedupe: `reply:${id}` }
    return { outboxId: await this.#parts.outbox.add(tx, message) }
  }
}

interface Ending {
  summary: string
  reply: string
  sent: NonNullable<Outcome['delivery']>
}

function outcomeOf(result: TurnResult, { summary, reply, sent }: Ending): Outcome {
  const { status, error, threadId, runId, model } = result
  return {
    state: states[status],
    summary,
    delivery: sent,
    ...(reply === '' ? {} : { reply }),
    ...(error === undefined ? {} : { error }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(runId === undefined ? {} : { runId }),
    ...(model === undefined ? {} : { model }),
  }
}
