// The responses of a session: one at a time in its conversation, and some beside it.
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { ProjectCaller } from '../../callers.ts'
import { realtimeErrors } from '../../errors/realtime.ts'
import type { Inference } from '../../inference/inference.ts'
import type { ResponseOptions } from './client-events.ts'
import { type Conversation, heardParts } from './conversation.ts'
import { eventError } from './event-error.ts'
import type { Emit } from './events.ts'
import type { HeardPart, Item } from './items.ts'
import { itemOf } from './new-item.ts'
import { type CancelReason, Response } from './response.ts'
import type { SessionFields } from './schema.ts'
import { responseSettings } from './session-settings.ts'

/** Outside of the conversation, at once. */
const maxBeside = 4

interface Parts {
  inference: Inference
  ids: Ids
  log: Log
  caller: ProjectCaller
  model: string
  voiceModels: { speech: string }
  emit: Emit
  ready(): Promise<void>
  conversation: Conversation
  /** Resolves when the words of a spoken part are known. */
  understand(part: HeardPart, item: Item): Promise<void>
}

export class Responses {
  readonly #parts: Parts
  readonly #running = new Set<Response>()
  readonly #answered = new WeakSet<HeardPart>()
  #active: Response | undefined
  #hasSpoken = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Any of them, once. */
  get hasSpoken(): boolean {
    return this.#hasSpoken || [...this.#running].some((response) => response.hasSpoken)
  }

  create(session: SessionFields, options: ResponseOptions): void {
    const isBeside = options.conversation === 'none'
    if (!isBeside && this.#active !== undefined) throw realtimeErrors.activeResponse(this.#active.id)
    if (isBeside && this.#running.size - (this.#active === undefined ? 0 : 1) >= maxBeside) {
      throw realtimeErrors.tooManyResponses(maxBeside)
    }
    const settings = responseSettings(session, options)
    const { voice } = options
    if (this.hasSpoken && voice !== undefined && voice !== session.voice) throw realtimeErrors.voiceIsFixed()
    const given = this.#givenItems(options, session)
    if (!isBeside) this.#parts.conversation.checkRoom()
    const response = this.#make(settings, options, given)
    if (!isBeside) this.#active = response
    this.#run(response)
  }

  /** After a turn of the user; one that is still answered goes on. */
  createByItself(settings: SessionFields): void {
    try {
      this.create(settings, {})
    } catch (error) {
      const { emit, log } = this.#parts
      emit({ type: 'error', error: { ...eventError(error, log), event_id: null } })
    }
  }

  cancel(id: string | undefined): void {
    const response = id === undefined ? this.#active : [...this.#running].find((one) => one.id === id)
    if (response === undefined) throw realtimeErrors.noActiveResponse()
    this.#stop(response, 'client_cancelled')
  }

  interrupt(): void {
    if (this.#active !== undefined) this.#stop(this.#active, 'turn_detected')
  }

  close(): void {
    for (const response of this.#running) response.drop()
    this.#running.clear()
    this.#active = undefined
  }

  #stop(response: Response, reason: CancelReason): void {
    this.#forget(response)
    response.cancel(reason)
  }

  #forget(response: Response): void {
    this.#hasSpoken ||= response.hasSpoken
    this.#running.delete(response)
    if (this.#active === response) this.#active = undefined
  }

  #run(response: Response): void {
    this.#running.add(response)
    response.run().then(
      () => this.#forget(response),
      (error: unknown) => {
        this.#forget(response)
        this.#parts.log.error({ error }, 'A realtime response failed')
      },
    )
  }

  /** What stands in place of the conversation; undefined: the conversation itself. */
  #givenItems({ input }: ResponseOptions, { input_audio_format: format }: SessionFields): Item[] | undefined {
    const { ids, conversation } = this.#parts
    return input?.map((given) => {
      if (given.type !== 'item_reference') return itemOf(given, { ids, conversation, format, others: input })
      const found = conversation.find(given.id)
      if (found === undefined) throw realtimeErrors.noSuchItem(given.id, 'response.input')
      return found
    })
  }

  #make(settings: SessionFields, { conversation: kind, metadata }: ResponseOptions, given: Item[] | undefined) {
    const { conversation, voiceModels, ...parts } = this.#parts
    return new Response({
      ...parts,
      speechModel: voiceModels.speech,
      settings,
      metadata: metadata ?? null,
      context: () => this.#context(given ?? [...conversation.items]),
      join: kind === 'none' ? undefined : (item) => conversation.add(item),
    })
  }

  async #context(items: readonly Item[]): Promise<{ items: readonly Item[]; heardMs: number }> {
    const heard = items.flatMap((item) => heardParts(item).map((part) => ({ part, item })))
    const fresh = heard.filter(({ part }) => !this.#answered.has(part))
    for (const { part } of fresh) this.#answered.add(part)
    await Promise.all(
      heard.map(async ({ part, item }) => {
        if (part.transcript !== null) return
        const understood = this.#parts.understand(part, item)
        // What could not be understood fails the response that it asks for, and no later one.
        await (fresh.some((one) => one.part === part) ? understood : understood.catch(() => {}))
      }),
    )
    return { items, heardMs: fresh.reduce((sum, { part }) => sum + part.ms, 0) }
  }
}
