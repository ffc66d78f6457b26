// Asks the model once: within the project's limits, written down as usage, waiting while the model is busy.
import { setTimeout as pause } from 'node:timers/promises'
import type { ChatRequest, ChoiceDelta, FinishReason } from '@atoll/models/chat'
import { ModelProblem } from '@atoll/models/problem'
import type { ProjectCaller } from '../../../../callers.ts'
import type { Inference } from '../../../../inference/inference.ts'
import { StreamUsage } from '../../../chat/completions/stream-usage.ts'
import { estimateAnswerTokens, estimatePromptTokens } from '../../../chat/completions/token-estimate.ts'

const longestPauseSeconds = 10

export interface Question {
  caller: ProjectCaller
  /** The public id. */
  model: string
  request: ChatRequest
  signal: AbortSignal
}

export interface Answered {
  finish: FinishReason
  promptTokens: number
  completionTokens: number
}

/** Tokens of an answer that came to no end. */
export class Spent {
  promptTokens = 0
  completionTokens = 0
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
      if (hasBegun || !(error instanceof ModelProblem) || error.detail.kind !== 'overloaded') throw error
      const seconds = Math.min(longestPauseSeconds, Math.max(0.1, error.detail.retryAfterSeconds))
      await pause(seconds * 1000, undefined, { signal: question.signal })
    }
  }
}

async function askOnce(
  inference: Inference,
  { caller, model: id, request, signal }: Question,
  spent: Spent,
  take: (piece: ChoiceDelta) => Promise<void>,
): Promise<Answered> {
  const model = await inference.resolve(caller, id, 'chat')
  const promptTokens = estimatePromptTokens(request)
  const tokens = promptTokens + estimateAnswerTokens(request.maxTokens, 1)
  const metered = await inference.meter(caller, model, { operation: 'chat', tokens })
  const used = new StreamUsage(metered, promptTokens)
  let finish: FinishReason = 'stop'
  let steps = 0
  try {
    for await (const step of model.port.stream(request, { signal, turn: caller.projectId })) {
      used.add(step)
      steps += step.choices.length
      spent.promptTokens = step.usage?.prompt_tokens ?? promptTokens
      spent.completionTokens = step.usage?.completion_tokens ?? Math.max(0, steps - 1)
      for (const choice of step.choices) {
        finish = choice.finish_reason ?? finish
        await take(choice)
      }
    }
  } finally {
    used.settle()
  }
  return { finish, promptTokens: spent.promptTokens, completionTokens: spent.completionTokens }
}
