// The steps of a streamed continuation; the usage comes last, wherever the server put it.
import type { ChatUsage } from '../chat.ts'
import type { TextChoice, TextDelta, TextLogprobs, TextRequest } from '../text.ts'
import { choicesOf, finishReason, textOr, unsupported } from './choice.ts'
import { isObject } from './error-body.ts'
import type { EventStream } from './event-stream.ts'
import { senseless } from './problems.ts'
import { estimatedUsage, readUsage, tokensOfPrompt } from './usage.ts'

export class TextSteps {
  readonly #request: TextRequest
  readonly #begun = new Set<number>()
  readonly #finished = new Set<number>()
  #sawLogprobs = false
  #pieces = 0
  #usage: ChatUsage | undefined
  #model: string
  #fingerprint: string

  constructor(request: TextRequest, model: string, fingerprint: string) {
    this.#request = request
    this.#model = model
    this.#fingerprint = fingerprint
  }

  read(event: Record<string, unknown>): TextDelta {
    this.#model = textOr(event.model, this.#model)
    this.#fingerprint = textOr(event.system_fingerprint, this.#fingerprint)
    this.#usage = readUsage(event.usage) ?? this.#usage
    return this.#step(choicesOf(event).map((choice) => this.#choice(choice)))
  }

  end(events: EventStream): TextDelta {
    if (this.#finished.size === 0 || this.#finished.size !== this.#begun.size) {
      throw senseless(events.saidDone ? 'ended its stream without a reason' : 'cut its stream before the end')
    }
    if (this.#begun.size !== this.#request.choices) throw unsupported('n')
    if (this.#request.topLogprobs !== undefined && !this.#sawLogprobs && this.#pieces > 0) throw unsupported('logprobs')
    const usage = this.#usage ?? estimatedUsage(tokensOfPrompt(this.#request.prompt), this.#pieces)
    return { ...this.#step([]), usage }
  }

  #step(choices: TextDelta['choices']): TextDelta {
    return { model: this.#model, system_fingerprint: this.#fingerprint, choices }
  }

  #choice(choice: Record<string, unknown>): TextDelta['choices'][number] {
    const index = Number.isSafeInteger(choice.index) ? (choice.index as number) : 0
    this.#begun.add(index)
    const text = textOr(choice.text, '')
    if (text !== '') this.#pieces++
    const logprobs = this.#request.topLogprobs === undefined ? null : readTextLogprobs(choice.logprobs)
    if (logprobs) this.#sawLogprobs = true
    const finish = typeof choice.finish_reason === 'string' ? textFinish(choice.finish_reason) : null
    if (finish) this.#finished.add(index)
    return { index, text, logprobs, finish_reason: finish }
  }
}

export function textFinish(given: string): TextChoice['finish_reason'] {
  const reason = finishReason(given)
  return reason === 'tool_calls' ? 'stop' : reason
}

export function readTextLogprobs(given: unknown): TextLogprobs | null {
  if (!isObject(given) || !Array.isArray(given.tokens) || !Array.isArray(given.token_logprobs)) return null
  return {
    tokens: given.tokens as string[],
    token_logprobs: given.token_logprobs as (number | null)[],
    top_logprobs: Array.isArray(given.top_logprobs) ? (given.top_logprobs as Record<string, number>[]) : null,
    text_offset: Array.isArray(given.text_offset) ? (given.text_offset as number[]) : [],
  }
}
