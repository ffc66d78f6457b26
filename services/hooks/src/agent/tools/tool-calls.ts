// Answers the calls that a run makes: each is noted before it is made, so that a restart makes none twice.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { z } from 'zod'
import { channelKinds } from '../../actions.ts'
import type { Outbox, Target } from '../../ports.ts'
import type { ToolOutput } from '../platform/platform.ts'
import { findToolCall, insertToolCall, setToolOutput, toolCallsOf } from '../turns/store.ts'
import { type FunctionTool, type ToolConfig, toolName } from './config.ts'
import { callFunction } from './function-call.ts'

const maxMessageLetters = 20_000
const maxCallsPerTurn = 100

interface Parts {
  db: Database
  clock: Clock
  outbox: Outbox
}

export interface AskedCall {
  id: string
  function: { name: string; arguments: string }
}

export interface CallContext {
  turnId: string
  /** All that this turn was offered. */
  tools: readonly ToolConfig[]
  signal: AbortSignal
}

const Message = z.strictObject({
  text: z.string().trim().min(1).max(maxMessageLetters),
  channel: z.enum(['last', ...channelKinds]).default('last'),
  to: z.string().min(1).max(1_000).optional(),
})

export class ToolCalls {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async answer(call: AskedCall, context: CallContext): Promise<ToolOutput> {
    return { tool_call_id: call.id, output: await this.#output(call, context) }
  }

  /** Where the agent has written to by itself in this turn. */
  async messaged(turnId: string): Promise<Target[]> {
    const calls = await toolCallsOf(this.#parts.db.queries, turnId)
    return calls.flatMap(({ target }) => (target === null ? [] : [JSON.parse(target) as Target]))
  }

  async hasAny(turnId: string): Promise<boolean> {
    return (await toolCallsOf(this.#parts.db.queries, turnId)).length > 0
  }

  async #output(call: AskedCall, context: CallContext): Promise<string> {
    const { name } = call.function
    const tool = context.tools.find((one) => toolName(one) === name)
    if (tool === undefined) return `Refused: the tool '${name}' was not offered in this turn.`
    const known = await findToolCall(this.#parts.db.queries, context.turnId, call.id)
    if (known?.output != null) return known.output
    const made = await toolCallsOf(this.#parts.db.queries, context.turnId)
    if (made.length >= maxCallsPerTurn) return `Refused: a turn may make at most ${maxCallsPerTurn} calls.`
    if (tool.type === 'send_message') return this.#send(call, context)
    if (tool.type === 'function') return this.#call(tool, call, context, known !== undefined)
    return `Refused: '${name}' is the platform's own.`
  }

  async #call(tool: FunctionTool, call: AskedCall, context: CallContext, wasBegun: boolean): Promise<string> {
    const { queries } = this.#parts.db
    const { turnId, signal } = context
    const { id, function: asked } = call
    if (wasBegun && !tool.idempotent) {
      const output = 'It is not known whether this call was made: the gateway stopped meanwhile. Do not assume either.'
      await setToolOutput(queries, turnId, id, output)
      return output
    }
    if (!wasBegun) await insertToolCall(queries, this.#row(call, context))
    const idempotencyKey = `${turnId}:${id}`
    const output = await callFunction({ tool, arguments: asked.arguments, idempotencyKey, signal })
    await setToolOutput(queries, turnId, id, output)
    return output
  }

  async #send(call: AskedCall, context: CallContext): Promise<string> {
    const { db, outbox } = this.#parts
    const parsed = Message.safeParse(parse(call.function.arguments))
    if (!parsed.success) return `Not sent: ${z.prettifyError(parsed.error)}`
    const { text, channel, to } = parsed.data
    if (channel !== 'last' && !outbox.isConfigured(channel))
      return `Not sent: the channel ${channel} is not configured.`
    const target = await outbox.target({ channel, ...(to === undefined ? {} : { to }) })
    if (target === undefined) return 'Not sent: there is nobody to send it to; give a channel and a recipient.'
    const output = `Will be sent to ${target.to} on ${target.channel}.`
    await db.transaction(async (tx) => {
      const row = { ...this.#row(call, context), output, target: JSON.stringify(target) }
      await insertToolCall(tx, row)
      await outbox.add(tx, { ...target, text, origin: context.turnId, dedupe: `${context.turnId}:${call.id}` })
    })
    return output
  }

  #row({ id, function: { name } }: AskedCall, { turnId }: CallContext) {
    const started_at = this.#parts.clock.now()
    return { turn_id: turnId, call_id: id, name, output: null, target: null, started_at }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
