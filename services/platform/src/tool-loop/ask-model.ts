// Asks the model once: within the project's limits, written down as usage, waiting while the model is busy.
import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from '@atoll/models/call'
import type { ChatChoice, ChatDelta, ChatModel, ChatRequest, ChoiceDelta, FinishReason } from '@atoll/models/chat'
import { ModelProblem } from '@atoll/models/problem'
import type { ProjectCaller } from '../callers.ts'
import type { Inference } from '../inference/inference.ts'
import { StreamUsage } from '../resources/chat/completions/stream-usage.ts'
import { estimateAnswerTokens, estimatePromptTokens } from '../resources/chat/completions/token-estimate.ts'

const longestPauseSeconds = 10

export interface Question {
  caller: ProjectCaller
  /** The public id. */
  model: string
  request: ChatRequest
  signal: AbortSignal
  /** Somebody waits for the answer: a model that is busy says so, instead of being asked again later. */
  isUrgent?: boolean | undefined
  /** Nobody reads along: the answer is asked for in one piece. */
  isWhole?: boolean | undefined
  /** Part of a batch: those go first who wait for their answer. */
  isBatch?: boolean | undefined
}

/** What an answer has used, whole or not. */
export class Spent {
  promptTokens = 0
  completionTokens = 0
  cachedTokens = 0
  reasoningTokens = 0
  /** What really answered. */
  model: string | undefined
  /** Where the project stands in its limits. */
  headers: Record<string, string> = {}
}

export interface Answered extends Spent {
  finish: FinishReason
}

/** `take` gets the pieces of the answer; what it throws ends the answer. */
export async function askModel(
  inference: Inference,
  question: Question,
  take: (piece: ChoiceDelta) => Promise<void>,
  spent: Spent,
): Promise<Answered> {
  for (;;) {
    let hasBegun = false
    try {
      return await askOnce(inference, question, spent, (piece) => {
        hasBegun = true
        return take(piece)
      })
    } catch (error) {
      question.signal.throwIfAborted()
      if (hasBegun || question.isUrgent === true) throw error
      if (!(error instanceof ModelProblem) || error.detail.kind !== 'overloaded') throw error
      const seconds = Math.min(longestPauseSeconds, Math.max(0.1, error.detail.retryAfterSeconds))
      await pause(seconds * 1000, undefined, { signal: question.signal })
    }
  }
}

async function askOnce(
  inference: Inference,
  { caller, model: id, request, signal, isWhole = false, isBatch = false }: Question,
  spent: Spent,
  take: (piece: ChoiceDelta) => Promise<void>,
): Promise<Answered> {
  const model = await inference.resolve(caller, id, 'chat')
  const promptTokens = estimatePromptTokens(request)
  const tokens = promptTokens + estimateAnswerTokens(request.maxTokens, 1)
  const metered = await inference.meter(caller, model, { operation: 'chat', tokens, batch: isBatch })
  spent.headers = metered.headers
  const used = new StreamUsage(metered, promptTokens)
  let finish: FinishReason = 'stop'
  let steps = 0
  try {
    const call = { signal, turn: caller.projectId, ...(isBatch ? { background: true } : {}) }
    for await (const step of isWhole ? inOnePiece(model.port, request, call) : model.port.stream(request, call)) {
      used.add(step)
      steps += step.choices.length
      spent.model = step.model
      spent.promptTokens = step.usage?.prompt_tokens ?? promptTokens
      spent.completionTokens = step.usage?.completion_tokens ?? Math.max(0, steps - 1)
      spent.cachedTokens = step.usage?.prompt_tokens_details.cached_tokens ?? 0
      spent.reasoningTokens = step.usage?.completion_tokens_details.reasoning_tokens ?? 0
      for (const choice of step.choices) {
        finish = choice.finish_reason ?? finish
        await take(choice)
      }
    }
  } finally {
    // The model worked for a caller who left: at least the prompt is counted.
    if (isWhole && steps === 0 && signal.aborted) {
      metered.finish({ model: id, input: promptTokens, cachedInput: 0, output: 0 })
    }
    used.settle()
  }
  return { ...spent, finish }
}

async function* inOnePiece(port: ChatModel, request: ChatRequest, call: Call): AsyncGenerator<ChatDelta> {
  const { choices, ...answer } = await port.complete(request, call)
  yield { ...answer, choices: choices.map(asDelta) }
}

function asDelta({ index, message, logprobs, finish_reason }: ChatChoice): ChoiceDelta {
  const { content, refusal, tool_calls = [] } = message
  const calls = tool_calls.map((call, at) => ({ index: at, ...call }))
  return { index, delta: { content, refusal, tool_calls: calls }, logprobs, finish_reason }
}
