// The request of one turn, cut to fit; a model that refuses it as too long is asked again with less.
import type { ChatRequest } from '@atoll/models/chat'
import { ModelProblem } from '@atoll/models/problem'
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
  /** All but what is read, and how long the answer may be. */
  asked: Omit<ChatRequest, 'messages' | 'maxTokens'>
  /** What may be left out when there is no room: nothing, results of tools, or the oldest of the thread too. */
  cuts: 'nothing' | 'results' | 'thread'
  /** What is left of the budgets. */
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
    const isWhole = contextLength === undefined || options.cuts === 'nothing'
    const context = isWhole ? mostTokens : promptShare(contextLength) * roughness
    this.#limit = Math.min(promptTokens, context)
    this.#fitted = this.#fit()
  }

  /** The budget does not even hold the question. What is close is left to the model to count. */
  get isOverBudget(): boolean {
    const { promptTokens } = this.#options
    return promptTokens !== undefined && this.#fitted.tokens > promptTokens * roughness
  }

  request(): ChatRequest {
    const { asked, completionTokens } = this.#options
    const maxTokens = completionTokens === undefined ? undefined : Math.min(completionTokens, this.#maxAnswer)
    return { ...asked, messages: this.#fitted.messages, maxTokens }
  }

  /** After the model has said that it is too long. False when nothing more can be left out. */
  shrink({ maxTokens, requestedTokens, param }: TooLong): boolean {
    if (param === 'max_completion_tokens' && maxTokens !== undefined) {
      const isLess = maxTokens < this.#maxAnswer
      this.#maxAnswer = maxTokens
      return isLess
    }
    if (this.#options.cuts === 'nothing') return false
    const before = this.#fitted.tokens
    // Counted by the model's own measure, as far as it has told.
    const ratio = requestedTokens === undefined ? 1 : requestedTokens / Math.max(1, before)
    const wanted = maxTokens === undefined ? before / 2 : promptShare(maxTokens) / ratio
    this.#limit = Math.floor(Math.min(wanted, before * 0.9))
    this.#fitted = this.#fit()
    return this.#fitted.tokens < before
  }

  #fit(): Fitted {
    const { asked, cuts } = this.#options
    const keepThread = cuts !== 'thread'
    return fitConversation(this.#conversation, { tools: asked.tools, limit: this.#limit, keepThread })
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
