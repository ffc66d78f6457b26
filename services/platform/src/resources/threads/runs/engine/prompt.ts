// The request of one turn, cut to fit; a model that refuses it as too long is asked again with less.
import type { ChatRequest, FunctionTool, ResponseFormat, ToolChoice } from '@atoll/models/chat'
import { ModelProblem } from '@atoll/models/problem'
import type { RunSettings } from '../present.ts'
import type { Conversation } from './conversation.ts'
import { type Fitted, fitConversation } from './fit.ts'

/** More than any model reads. */
const mostTokens = 1_000_000
/** Of the context, for the answer. */
const answerShare = 0.25
const maxAnswerReserve = 1024
/** Tokens are counted with caution here: there may be so many fewer. */
const roughness = 1.5

export interface PromptOptions {
  settings: RunSettings
  tools: FunctionTool[]
  toolChoice: ToolChoice
  /** What is left of the run's budgets. */
  promptTokens: number | undefined
  completionTokens: number | undefined
  contextLength: number | undefined
}

export class Prompt {
  readonly #conversation: Conversation
  readonly #options: PromptOptions
  #limit: number
  #fitted: Fitted
  #maxAnswer = mostTokens

  constructor(conversation: Conversation, options: PromptOptions) {
    this.#conversation = conversation
    this.#options = options
    const { promptTokens = mostTokens, contextLength } = options
    // What is only roughly too long, the model is asked about.
    const context = contextLength === undefined ? mostTokens : promptShare(contextLength) * roughness
    this.#limit = Math.min(promptTokens, context)
    this.#fitted = this.#fit()
  }

  /** The budget does not even hold the question. What is close is left to the model to count. */
  get isOverBudget(): boolean {
    const { promptTokens } = this.#options
    return promptTokens !== undefined && this.#fitted.tokens > promptTokens * roughness
  }

  request(): ChatRequest {
    const { settings, tools, toolChoice, completionTokens } = this.#options
    return {
      messages: this.#fitted.messages,
      tools,
      toolChoice,
      parallelToolCalls: settings.parallel_tool_calls && typeof toolChoice === 'string',
      responseFormat: responseFormat(settings),
      choices: 1,
      maxTokens: completionTokens === undefined ? undefined : Math.min(completionTokens, this.#maxAnswer),
      sampling: {
        temperature: settings.temperature ?? 1,
        topP: settings.top_p ?? 1,
        ...{ frequencyPenalty: 0, presencePenalty: 0, logitBias: new Map(), seed: undefined, stop: [] },
      },
      ...{ topLogprobs: undefined, prediction: undefined, audio: undefined, user: undefined },
    }
  }

  /** After the model has said that it is too long. False when nothing more can be left out. */
  shrink({ maxTokens, requestedTokens, param }: TooLong): boolean {
    if (param === 'max_completion_tokens' && maxTokens !== undefined) {
      const isLess = maxTokens < this.#maxAnswer
      this.#maxAnswer = maxTokens
      return isLess
    }
    const before = this.#fitted.tokens
    // Counted by the model's own measure, as far as it has told.
    const ratio = requestedTokens === undefined ? 1 : requestedTokens / Math.max(1, before)
    const wanted = maxTokens === undefined ? before / 2 : promptShare(maxTokens) / ratio
    this.#limit = Math.floor(Math.min(wanted, before * 0.9))
    this.#fitted = this.#fit()
    return this.#fitted.tokens < before
  }

  #fit(): Fitted {
    const { tools, settings } = this.#options
    const keepThread = settings.truncation_strategy.type === 'last_messages'
    return fitConversation(this.#conversation, { tools, limit: this.#limit, keepThread })
  }
}

const promptShare = (contextLength: number): number =>
  contextLength - Math.min(maxAnswerReserve, Math.floor(contextLength * answerShare))

export interface TooLong {
  maxTokens: number | undefined
  requestedTokens: number | undefined
  param: string
}

/** Undefined when something else is wrong. */
export function tooLong(error: unknown): TooLong | undefined {
  if (!(error instanceof ModelProblem)) return undefined
  const { detail } = error
  if (detail.kind === 'context_length') return detail
  const isTold = detail.kind === 'upstream' && detail.error?.code === 'context_length_exceeded'
  return isTold ? { maxTokens: undefined, requestedTokens: undefined, param: 'messages' } : undefined
}

const responseFormat = ({ response_format: format }: RunSettings): ResponseFormat =>
  format === 'auto' ? { type: 'text' } : format
