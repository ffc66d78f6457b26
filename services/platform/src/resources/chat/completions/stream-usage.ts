// What a stream has used so far. At its end the model says it; of a stream that was cut short it is counted here.
import type { ChatUsage } from '@atoll/models/chat'
import type { MeteredCall, UsedTokens } from '../../../inference/inference.ts'

interface Step {
  model: string
  choices: readonly object[]
  usage?: ChatUsage
}

export const usedTokens = (model: string, usage: ChatUsage): UsedTokens => ({
  model,
  input: usage.prompt_tokens,
  cachedInput: usage.prompt_tokens_details.cached_tokens,
  output: usage.completion_tokens,
})

export class StreamUsage {
  readonly #call: MeteredCall
  readonly #promptTokens: number
  #model = ''
  #steps = 0
  readonly #charged: (usage: ChatUsage) => ChatUsage
  #said: ChatUsage | undefined

  constructor(call: MeteredCall, estimatedPromptTokens: number, charged = (usage: ChatUsage) => usage) {
    this.#call = call
    this.#charged = charged
    this.#promptTokens = estimatedPromptTokens
  }

  add(step: Step): void {
    this.#model = step.model
    for (const choice of step.choices) if (!isSound(choice)) this.#steps += 1
    if (step.usage !== undefined) this.#said = this.#charged(step.usage)
  }

  /** Writes it down; once more does nothing. */
  settle(): void {
    if (this.#said !== undefined) this.#call.finish(usedTokens(this.#model, this.#said))
    else if (this.#steps === 0) this.#call.abandon()
    // A step is a token, but for the first of each choice.
    else this.#call.finish({ model: this.#model, input: this.#promptTokens, cachedInput: 0, output: this.#steps - 1 })
  }
}

/** A piece of sound is no token of the model's. */
const isSound = (choice: { delta?: { audio?: { data?: string } } }): boolean => choice.delta?.audio?.data !== undefined
