// What the configuration denies a model, whatever its runtime could do.
import type { ChatMessage, ChatModel, ChatRequest } from '@atoll/models/chat'
import type { EmbeddingModel } from '@atoll/models/embed'
import { ModelProblem } from '@atoll/models/problem'
import type { Runtime } from '@atoll/models/runtime'
import type { TextModel } from '@atoll/models/text'
import type { Capability, ModelSettings } from './settings.ts'

type Restrictions = Pick<ModelSettings, 'capabilities' | 'contextLength'>

/** The same runtime when nothing is denied. */
export function restrict(runtime: Runtime, { capabilities, contextLength }: Restrictions): Runtime {
  if (capabilities === undefined && contextLength === undefined) return runtime
  const { chat, text, embeddings } = runtime
  return {
    ...runtime,
    ...(chat && { chat: checkedChat(chat, capabilities, contextLength) }),
    ...(text && contextLength !== undefined && { text: checkedText(text, contextLength) }),
    ...(embeddings && contextLength !== undefined && { embeddings: checkedEmbeddings(embeddings, contextLength) }),
  }
}

function checkedChat(chat: ChatModel, can: readonly Capability[] | undefined, contextLength = Infinity): ChatModel {
  const check = (request: ChatRequest): ChatRequest => {
    checkLength(request.maxTokens ?? 0, contextLength, 'max_completion_tokens')
    if (can !== undefined) checkCapabilities(request, can)
    return request
  }
  return {
    complete: async (request, call) => chat.complete(check(request), call),
    async *stream(request, call) {
      yield* chat.stream(check(request), call)
    },
    ...(chat.realtime && { realtime: chat.realtime }),
    ...(chat.warm && { warm: chat.warm.bind(chat) }),
    ...(chat.countTokens && {
      countTokens: async (request, call) => (await chat.countTokens?.(check(request), call)) ?? 0,
    }),
    ...(chat.contextLength && {
      contextLength: async () => Math.min(contextLength, (await chat.contextLength?.()) ?? contextLength),
    }),
  }
}

function checkCapabilities(request: ChatRequest, can: readonly Capability[]): void {
  const need = (capability: Capability, what: string, param: string): void => {
    if (can.includes(capability)) return
    throw new ModelProblem(`This model does not support ${what}.`, { kind: 'unsupported', param })
  }
  if (request.tools.length > 0) need('tools', 'tools', 'tools')
  if (request.responseFormat.type !== 'text') need('structured_outputs', 'structured outputs', 'response_format')
  if (request.topLogprobs !== undefined) need('logprobs', 'log probabilities', 'logprobs')
  if (request.audio !== undefined) need('audio', 'audio', 'modalities')
  const { reasoningEffort = 'none' } = request
  if (reasoningEffort !== 'none') need('reasoning', 'reasoning', 'reasoning_effort')
  for (const { type, param } of partsOf(request.messages)) {
    if (type === 'image_url') need('images', 'images', param)
    if (type === 'input_audio') need('audio', 'audio', param)
  }
}

function* partsOf(messages: readonly ChatMessage[]): Generator<{ type: string; param: string }> {
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    for (const [at, { type }] of content.entries()) yield { type, param: `messages[${index}].content[${at}]` }
  }
}

function checkedText(text: TextModel, contextLength: number): TextModel {
  const check = (request: Parameters<TextModel['complete']>[0]) => {
    const prompt = typeof request.prompt === 'string' ? 0 : request.prompt.length
    checkLength(prompt + request.maxTokens, contextLength, 'prompt')
    return request
  }
  return {
    complete: async (request, call) => text.complete(check(request), call),
    async *stream(request, call) {
      yield* text.stream(check(request), call)
    },
  }
}

const checkedEmbeddings = (embeddings: EmbeddingModel, contextLength: number): EmbeddingModel => ({
  ...(embeddings.edition === undefined ? {} : { edition: embeddings.edition }),
  async embed(request, call) {
    for (const input of request.inputs) {
      checkLength(typeof input === 'string' ? 0 : input.length, contextLength, 'input')
    }
    return embeddings.embed(request, call)
  },
})

/** Texts are counted by the runtime alone; here only what is too long for sure is stopped. */
function checkLength(requestedTokens: number, maxTokens: number, param: string): void {
  if (requestedTokens <= maxTokens) return
  throw new ModelProblem('The request is longer than the context of this model.', {
    kind: 'context_length',
    maxTokens,
    requestedTokens,
    param,
  })
}
