// A chat model that answers what a test tells it, piece by piece: for exact sequences of what real models do at will.
import { setTimeout } from 'node:timers/promises'
import type { Call } from '@atoll/models/call'
import type { ChatAnswer, ChatDelta, ChatModel, ChatRequest, ChoiceDelta, FinishReason } from '@atoll/models/chat'
import { collectChat } from '@atoll/models/collect-chat'
import type { Runtime } from '@atoll/models/runtime'

export type Piece =
  /** Text. */
  | string
  | { refusal: string }
  /** A call, its arguments in these pieces; where a conversation has several, each needs an id of its own. */
  | { call: string; arguments: string[]; id?: string }
  /** Goes on when this resolves, or stops when the caller does. */
  | { wait: Promise<unknown> }
  | { pauseMs: number }
  | { fail: unknown }

export interface ScriptedAnswer {
  pieces: Piece[]
  finish?: FinishReason
  promptTokens?: number
  completionTokens?: number
}

type Script = (request: ChatRequest, index: number) => ScriptedAnswer | Piece[] | Promise<ScriptedAnswer | Piece[]>

export class ScriptedChatModel implements ChatModel {
  /** All that was asked so far. */
  readonly requests: ChatRequest[] = []
  readonly #script: Script

  /** A list: one answer for each question, the last one again and again. */
  constructor(script: Script | (ScriptedAnswer | Piece[])[]) {
    this.#script = typeof script === 'function' ? script : (_, index) => script[index] ?? script.at(-1) ?? []
  }

  /** What `describePlatform` takes as `runtimes`. */
  get runtimes(): Record<string, Runtime> {
    return { 'builtin-chat': { chat: this, close: async () => undefined } }
  }

  complete(request: ChatRequest, call: Call): Promise<ChatAnswer> {
    return collectChat(this.stream(request, call))
  }

  async *stream(request: ChatRequest, { signal }: Call): AsyncGenerator<ChatDelta> {
    const index = this.requests.push(structuredClone(request)) - 1
    const answer = await this.#script(request, index)
    const {
      pieces,
      finish,
      promptTokens = 10,
      completionTokens = 5,
    } = Array.isArray(answer) ? { pieces: answer } : answer
    yield delta({ role: 'assistant', content: '' })
    let calls = 0
    for (const piece of pieces) {
      signal.throwIfAborted()
      if (typeof piece === 'string') yield delta({ content: piece })
      else if ('refusal' in piece) yield delta({ refusal: piece.refusal })
      else if ('fail' in piece) throw piece.fail
      else if ('wait' in piece) await orAborted(piece.wait, signal)
      else if ('pauseMs' in piece) await setTimeout(piece.pauseMs, undefined, { signal })
      else {
        const at = calls++
        const id = piece.id ?? `call_model${at}`
        yield delta({
          tool_calls: [{ index: at, id, type: 'function', function: { name: piece.call, arguments: '' } }],
        })
        for (const text of piece.arguments) yield delta({ tool_calls: [{ index: at, function: { arguments: text } }] })
      }
    }
    yield delta({}, finish ?? (calls > 0 ? 'tool_calls' : 'stop'))
    yield { ...head, choices: [], usage: usageOf(promptTokens, completionTokens) }
  }
}

const head = { model: 'scripted', system_fingerprint: 'fp_scripted' }

const delta = (content: ChoiceDelta['delta'], finish_reason: FinishReason | null = null): ChatDelta => ({
  ...head,
  choices: [{ index: 0, delta: content, logprobs: null, finish_reason }],
})

const usageOf = (prompt_tokens: number, completion_tokens: number): NonNullable<ChatDelta['usage']> => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
})

async function orAborted(wait: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>()
  const leave = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  await Promise.race([wait, aborted.promise]).finally(() => signal.removeEventListener('abort', leave))
}
