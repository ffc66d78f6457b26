// Chat completions: a conversation in, the next message out, whole or as it comes.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Call } from '@atoll/models/call'
import type { ChatAnswer, ChatDelta, ChatModel, ChatRequest, ChatUsage } from '@atoll/models/chat'
import { collectChat } from '@atoll/models/collect-chat'
import type { ProjectCaller } from '../../../callers.ts'
import { failModel } from '../../../inference/fail-model.ts'
import type { Inference, MeteredCall } from '../../../inference/inference.ts'
import { withoutSound } from '../../../inference/sound-tokens.ts'
import type { ChatCompletion } from './answer/schema.ts'
import type { KeptAudios } from './audio/kept-audios.ts'
import { voicedChat } from './audio/voiced-chat.ts'
import { ChunkFrames } from './chunk-frames.ts'
import { functionCallChoice, usesFunctions } from './legacy-functions.ts'
import { toChatRequest } from './request.ts'
import type { CreateChatCompletion } from './schema.ts'
import { startStream } from './started-stream.ts'
import type { StoredCompletions } from './stored-completions.ts'
import { StreamUsage, usedTokens } from './stream-usage.ts'
import { estimateAnswerTokens, estimatePromptTokens } from './token-estimate.ts'

interface Parts {
  inference: Inference
  stored: StoredCompletions
  audios: KeptAudios
  ids: Ids
  clock: Clock
}

export interface CallOptions {
  signal: AbortSignal
  /** Part of a batch. */
  batch?: boolean
}

/** An event without a name. */
interface Frame {
  data: string
}

/** A request that was let in, with all it takes to answer it. */
interface Admitted {
  caller: ProjectCaller
  body: CreateChatCompletion
  request: ChatRequest
  model: ChatModel
  metered: MeteredCall
  promptTokens: number
  /** What the call itself is charged with: what other models heard and spoke for it are calls of their own. */
  charged(usage: ChatUsage): ChatUsage
  call: Call
}

/** How the model is called. A batch lets those go first who wait for their answer. */
export const callOf = (caller: ProjectCaller, { signal, batch = false }: CallOptions): Call => ({
  signal,
  turn: caller.projectId,
  ...(batch ? { background: true } : {}),
})

export class ChatCompletions {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async create(
    caller: ProjectCaller,
    body: CreateChatCompletion,
    options: CallOptions,
  ): Promise<{ completion: ChatCompletion; headers: Record<string, string> }> {
    const admitted = await this.#admit(caller, body, options)
    const { model, request, metered, promptTokens, charged, call } = admitted
    const { signal } = call
    const answer = await model.complete(request, call).catch((error: unknown) => {
      // The model worked for a caller who left: at least the prompt is counted.
      if (signal.aborted) metered.finish({ model: body.model, input: promptTokens, cachedInput: 0, output: 0 })
      metered.abandon()
      return failModel(error, signal)
    })
    metered.finish(usedTokens(answer.model, charged(answer.usage)))
    const completion = this.#present(this.#head(), body, answer)
    if (body.store === true) await this.#parts.stored.keep(caller, body, completion)
    return { completion, headers: metered.headers }
  }

  /** Rejects when the model fails before its first step; what fails later fails while the frames are read. */
  async stream(
    caller: ProjectCaller,
    body: CreateChatCompletion,
    options: CallOptions,
  ): Promise<{ frames: AsyncIterable<Frame>; headers: Record<string, string> }> {
    const admitted = await this.#admit(caller, body, options)
    return { frames: await startStream(this.#frames(admitted)), headers: admitted.metered.headers }
  }

  async #admit(caller: ProjectCaller, body: CreateChatCompletion, options: CallOptions): Promise<Admitted> {
    const request = toChatRequest(body)
    const { inference } = this.#parts
    const model = await inference.resolve(caller, body.model, 'chat')
    const promptTokens = estimatePromptTokens(request)
    const metered = await inference.meter(caller, model, {
      operation: 'chat',
      tokens: promptTokens + estimateAnswerTokens(request.maxTokens, request.choices),
      batch: options.batch ?? false,
    })
    const port = voicedChat(model, caller, { inference, kept: this.#parts.audios })
    const charged = model.voice === undefined ? (usage: ChatUsage) => usage : withoutSound
    return { caller, body, request, model: port, metered, promptTokens, charged, call: callOf(caller, options) }
  }

  async *#frames({
    caller,
    body,
    request,
    model,
    metered,
    promptTokens,
    charged,
    call,
  }: Admitted): AsyncGenerator<Frame> {
    const head = this.#head()
    const includeUsage = body.stream_options?.include_usage === true
    const frames = new ChunkFrames({ ...head, serviceTier: tierOf(body), includeUsage, legacy: usesFunctions(body) })
    const used = new StreamUsage(metered, promptTokens, charged)
    /** Kept until the end, for callers who want the answer stored. */
    const steps: ChatDelta[] | undefined = body.store === true ? [] : undefined
    let last: ChatDelta | undefined
    try {
      for await (const step of model.stream(request, call)) {
        used.add(step)
        steps?.push(step)
        last = step
        for (const choice of step.choices) yield { data: frames.chunk(step, choice) }
      }
      used.settle()
      if (steps)
        await this.#parts.stored.keep(caller, body, this.#present(head, body, await collectChat(replay(steps))))
      if (includeUsage && last?.usage !== undefined) yield { data: frames.usage(last, last.usage) }
      yield { data: '[DONE]' }
    } catch (error) {
      failModel(error, call.signal)
    } finally {
      used.settle()
    }
  }

  #head(): { id: string; created: number } {
    return { id: this.#parts.ids.next('chatcmpl-'), created: unixSeconds(this.#parts.clock) }
  }

  #present(
    { id, created }: { id: string; created: number },
    body: CreateChatCompletion,
    { model, choices, usage, system_fingerprint }: ChatAnswer,
  ): ChatCompletion {
    const completion: ChatCompletion = {
      id,
      object: 'chat.completion',
      created,
      model,
      choices: usesFunctions(body) ? choices.map(functionCallChoice) : choices,
      usage,
      system_fingerprint,
    }
    const tier = tierOf(body)
    if (tier !== undefined) completion.service_tier = tier
    if (body.metadata != null) completion.metadata = body.metadata
    return completion
  }
}

/** No project has credits for a premium tier, so `auto` is the default one. INF-031, INF-064 */
const tierOf = (body: CreateChatCompletion): 'default' | undefined =>
  body.service_tier == null ? undefined : 'default'

async function* replay<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items
}
