// Asks the model and tells the answer as it grows.
import { ApiError } from '../../api/api-error.ts'
import { send } from '../../api/client.ts'
import { serverSentEvents } from '../../api/server-sent-events.ts'
import type { ChatRequest } from './settings.ts'
import type { Figures, TokenLogprob, ToolCall, Turn } from './turn.ts'

interface Chunk {
  choices?: {
    delta?: { content?: string | null; refusal?: string | null; tool_calls?: CallPiece[] }
    logprobs?: { content?: TokenLogprob[] | null } | null
    finish_reason?: string | null
  }[]
  usage?: { prompt_tokens: number; completion_tokens: number } | null
  error?: { message: string; code?: string | null }
}

interface CallPiece {
  index: number
  id?: string
  function?: { name?: string; arguments?: string }
}

interface Asked {
  request: ChatRequest
  project: string
  signal: AbortSignal
}

/** The turn is changed in place; `grew` is called after every piece. */
export async function streamAnswer({ request, project, signal }: Asked, turn: Turn, grew: () => void): Promise<void> {
  const began = performance.now()
  const body = { ...request, stream: true, stream_options: { include_usage: true } }
  const response = await send('/v1/chat/completions', { method: 'POST', body, project, signal })
  if (response.body === null) return
  let firstMs: number | undefined
  for await (const data of serverSentEvents(response.body)) {
    const chunk = JSON.parse(data) as Chunk
    if (chunk.error) throw new ApiError(500, chunk.error.message, chunk.error.code ?? null)
    firstMs ??= performance.now() - began
    addChunk(turn, chunk)
    if (chunk.usage) turn.figures = figuresOf(chunk.usage, firstMs, performance.now() - began)
    grew()
  }
}

function addChunk(turn: Turn, { choices: [choice] = [] }: Chunk): void {
  if (choice === undefined) return
  turn.content += choice.delta?.content ?? choice.delta?.refusal ?? ''
  for (const piece of choice.delta?.tool_calls ?? []) addCall(turn, piece)
  if (choice.logprobs?.content) turn.tokens = [...(turn.tokens ?? []), ...choice.logprobs.content]
  if (choice.finish_reason === 'length') turn.problem = 'Cut off: the limit of tokens was reached.'
}

function addCall(turn: Turn, { index, id = '', function: piece }: CallPiece): void {
  turn.toolCalls ??= []
  const call: ToolCall = turn.toolCalls[index] ?? { id, type: 'function', function: { name: '', arguments: '' } }
  turn.toolCalls[index] = {
    ...call,
    function: {
      name: call.function.name + (piece?.name ?? ''),
      arguments: call.function.arguments + (piece?.arguments ?? ''),
    },
  }
}

function figuresOf(usage: NonNullable<Chunk['usage']>, firstMs: number, wholeMs: number): Figures {
  const { prompt_tokens: promptTokens, completion_tokens: tokens } = usage
  const perSecond = wholeMs > firstMs && tokens > 1 ? tokens / ((wholeMs - firstMs) / 1000) : 0
  return { promptTokens, tokens, firstMs, perSecond }
}
