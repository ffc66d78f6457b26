// One response: the conversation goes to the chat model, its words become items, and are spoken while it writes on.
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { ChatMessage, ChatRequest, ChoiceDelta, FinishReason, ToolCallDelta } from '@atoll/models/chat'
import { ModelProblem } from '@atoll/models/problem'
import type { ProjectCaller } from '../../callers.ts'
import type { Inference } from '../../inference/inference.ts'
import { StreamUsage } from '../chat/completions/stream-usage.ts'
import { estimateAnswerTokens, estimatePromptTokens } from '../chat/completions/token-estimate.ts'
import { chatMessages, withoutOldest } from './chat-messages.ts'
import { chatRequest } from './chat-request.ts'
import { CallDraft, type DraftPlace, MessageDraft } from './drafts.ts'
import { eventError } from './event-error.ts'
import type { Emit } from './events.ts'
import { type Item, shownItem } from './items.ts'
import { rateLimitsOf } from './rate-limits.ts'
import { ResponseUsage } from './response-usage.ts'
import type { SessionFields } from './schema.ts'
import { Speaking } from './speaking.ts'

export interface ResponseParts {
  inference: Inference
  ids: Ids
  log: Log
  caller: ProjectCaller
  /** Public ids. */
  model: string
  speechModel: string
  settings: SessionFields
  metadata: Record<string, string> | null
  emit: Emit
  /** Resolves when the client has taken enough of what was sent. */
  ready(): Promise<void>
  /** The items it builds on, once all of them are understood; and how much of them was heard since the last response. */
  context(): Promise<{ items: readonly Item[]; heardMs: number }>
  join: ((item: Item) => string | null) | undefined
}

type Status = 'in_progress' | 'completed' | 'cancelled' | 'failed' | 'incomplete'
export type CancelReason = 'turn_detected' | 'client_cancelled'

export class Response {
  readonly id: string
  readonly #parts: ResponseParts
  readonly #abort = new AbortController()
  readonly #usage = new ResponseUsage()
  readonly #output: Item[] = []
  #status: Status = 'in_progress'
  #details: object | null = null
  #message: MessageDraft | undefined
  #call: { index: number; draft: CallDraft } | undefined
  #speaking: { work: Speaking; done: Promise<void> } | undefined

  constructor(parts: ResponseParts) {
    this.#parts = parts
    this.id = parts.ids.next('resp_')
  }

  /** It has told sound. */
  get hasSpoken(): boolean {
    return this.#usage.spokenMs > 0
  }

  /** Always ends with `response.done`, and never throws. AST-194 */
  async run(): Promise<void> {
    this.#parts.emit({ type: 'response.created', response: this.#shown() })
    try {
      const finish = await this.#answer()
      if (finish === 'length') this.#end('incomplete', { type: 'incomplete', reason: 'max_output_tokens' })
      else if (finish === 'content_filter') this.#end('incomplete', { type: 'incomplete', reason: 'content_filter' })
      else this.#end('completed', null)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** At once: what the models still say is not heard any more. */
  cancel(reason: CancelReason): void {
    this.#end('cancelled', { type: 'cancelled', reason })
    this.#abort.abort()
  }

  /** The client has left. */
  drop(): void {
    this.#status = 'cancelled'
    this.#abort.abort()
  }

  get #isOver(): boolean {
    return this.#status !== 'in_progress'
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    const shown = eventError(error, this.#parts.log)
    this.#end('failed', { type: 'failed', error: shown })
    // Trouble on our side is told as such too. AST-303
    if (shown.type === 'server_error') this.#parts.emit({ type: 'error', error: { ...shown, event_id: null } })
    this.#abort.abort()
  }

  #end(status: Status, details: object | null): void {
    if (this.#isOver) return
    const isWhole = status === 'completed'
    this.#message?.close(isWhole)
    this.#call?.draft.close(isWhole)
    this.#status = status
    this.#details = details
    this.#parts.emit({ type: 'response.done', response: this.#shown() })
  }

  async #answer(): Promise<FinishReason> {
    const { settings } = this.#parts
    const { items, heardMs } = await this.#parts.context()
    this.#abort.signal.throwIfAborted()
    this.#usage.heardMs = heardMs
    const finish = await this.#ask(chatMessages(settings.instructions, items))
    // A response has an item, also when the model said nothing.
    if (this.#output.length === 0) this.#openMessage()
    this.#speaking?.work.end()
    await this.#speaking?.done
    return finish
  }

  /** Of a conversation that is too long the oldest goes, as often as needed. */
  async #ask(messages: ChatMessage[]): Promise<FinishReason> {
    try {
      return await this.#askOnce(chatRequest(messages, this.#parts.settings))
    } catch (error) {
      const isTooLong = error instanceof ModelProblem && error.detail.kind === 'context_length'
      const isUntouched = this.#output.length === 0 && this.#parts.settings.truncation === 'auto'
      const fewer = isTooLong && isUntouched ? withoutOldest(messages) : undefined
      if (fewer === undefined) throw error
      return this.#ask(fewer)
    }
  }

  async #askOnce(request: ChatRequest): Promise<FinishReason> {
    const { inference, caller, model: id, emit } = this.#parts
    const { signal } = this.#abort
    const model = await inference.resolve(caller, id, 'chat')
    const promptTokens = estimatePromptTokens(request)
    const tokens = promptTokens + estimateAnswerTokens(request.maxTokens, 1)
    const metered = await inference.meter(caller, model, { operation: 'chat', tokens })
    const used = new StreamUsage(metered, promptTokens)
    this.#usage.estimatePrompt(promptTokens)
    if (!this.#isOver) emit({ type: 'rate_limits.updated', rate_limits: rateLimitsOf(metered.headers) })
    let finish: FinishReason = 'stop'
    try {
      for await (const step of model.port.stream(request, { signal, turn: caller.projectId })) {
        used.add(step)
        this.#usage.addStep(step.usage)
        for (const choice of step.choices) {
          finish = choice.finish_reason ?? finish
          this.#take(choice.delta)
        }
        signal.throwIfAborted()
        await this.#parts.ready()
      }
    } finally {
      used.settle()
    }
    return finish
  }

  #take({ content, refusal, tool_calls }: ChoiceDelta['delta']): void {
    if (this.#isOver) return
    const text = content ?? refusal ?? ''
    if (text !== '') this.#write(text)
    for (const piece of tool_calls ?? []) this.#writeCall(piece)
  }

  #write(text: string): void {
    // A response has a message and then a call, in this order: words behind a call have no place. AST-162
    if (this.#call !== undefined) return
    const draft = this.#message ?? this.#openMessage()
    draft.write(text)
    this.#speaking?.work.write(text)
  }

  #writeCall({ index, function: piece = {} }: ToolCallDelta): void {
    this.#call ??= { index, draft: this.#openCall(piece.name ?? '') }
    // One call in a response: others have no place in it either.
    if (this.#call.index === index && piece.arguments) this.#call.draft.write(piece.arguments)
  }

  #openMessage(): MessageDraft {
    const { ids, settings } = this.#parts
    const kind = settings.modalities.includes('audio') ? 'audio' : 'text'
    const draft = new MessageDraft(ids.next('item_'), kind, this.#place())
    this.#message = draft
    this.#output.push(draft.item)
    if (draft.spoken !== undefined) this.#startSpeaking(draft, draft.spoken)
    return draft
  }

  #openCall(name: string): CallDraft {
    const { ids } = this.#parts
    const draft = new CallDraft(ids.next('item_'), { call_id: ids.next('call_'), name }, this.#place())
    this.#output.push(draft.item)
    return draft
  }

  #place(): DraftPlace {
    const { emit, join } = this.#parts
    return { emit, join, responseId: this.id, outputIndex: this.#output.length }
  }

  #startSpeaking(draft: MessageDraft, part: NonNullable<MessageDraft['spoken']>): void {
    const { inference, caller, speechModel, settings, ready } = this.#parts
    const work = new Speaking({
      ...{ inference, caller, model: speechModel, voice: settings.voice, speed: settings.speed },
      ...{ format: settings.output_audio_format, signal: this.#abort.signal, part },
      sound: (bytes) => {
        if (!this.#isOver) {
          draft.sound(bytes)
          this.#usage.spokenMs = part.ms
        }
        return ready()
      },
    })
    const done = work.run()
    // A voice that fails ends the response while the chat model may still write.
    done.catch((error: unknown) => this.#fail(error))
    this.#speaking = { work, done }
  }

  /** AST-193, AST-195 */
  #shown(): object {
    const isOver = this.#isOver
    return {
      id: this.id,
      object: 'realtime.response',
      status: this.#status,
      status_details: this.#details,
      output: isOver ? this.#output.map(shownItem) : [],
      ...(this.#parts.metadata === null ? {} : { metadata: this.#parts.metadata }),
      usage: isOver ? this.#usage.shown() : null,
    }
  }
}
