// Plain continuation of a prompt by a model server.
import type { Call } from '../call.ts'
import type { TextAnswer, TextChoice, TextDelta, TextModel, TextRequest } from '../text.ts'
import { addStream } from './chat-request.ts'
import { choicesOf, textOr, unsupported } from './choice.ts'
import { isObject } from './error-body.ts'
import { senseless } from './problems.ts'
import { wireSampling } from './sampling.ts'
import type { Server } from './server.ts'
import { settingsFor, type UpstreamSettings } from './settings.ts'
import { readTextLogprobs, TextSteps, textFinish } from './text-stream.ts'
import { estimatedUsage, readUsage, tokensOfLetters, tokensOfPrompt } from './usage.ts'

const path = '/completions'

export class UpstreamText implements TextModel {
  readonly #server: Server
  readonly #settings: UpstreamSettings

  constructor(server: Server, settings: UpstreamSettings) {
    this.#server = server
    this.#settings = settings
  }

  async complete(request: TextRequest, call: Call): Promise<TextAnswer> {
    const { model } = settingsFor(call, this.#settings)
    const { json, replica } = await this.#server.ask(path, textBody(request, model), call)
    if (!isObject(json)) throw senseless('sent an answer that is no object')
    const choices = choicesOf(json).map((choice, at) => readTextChoice(choice, at, request))
    if (choices.length !== request.choices) throw unsupported('n')
    const letters = choices.reduce((sum, { text }) => sum + text.length, 0)
    return {
      model: textOr(json.model, model),
      system_fingerprint: textOr(json.system_fingerprint, replica.fingerprint),
      choices,
      usage: readUsage(json.usage) ?? estimatedUsage(tokensOfPrompt(request.prompt), tokensOfLetters(letters)),
    }
  }

  async *stream(request: TextRequest, call: Call): AsyncGenerator<TextDelta> {
    const { model } = settingsFor(call, this.#settings)
    const body = textBody(request, model)
    addStream(body, this.#settings)
    const events = await this.#server.stream(path, body, call)
    try {
      const steps = new TextSteps(request, model, events.replica.fingerprint)
      for (;;) {
        const event = events.take() ?? (await events.next())
        if (!event) break
        const step = steps.read(event)
        if (step.choices.length > 0) yield step
      }
      yield steps.end(events)
    } finally {
      events.close()
    }
  }
}

function textBody(request: TextRequest, model: string): Record<string, unknown> {
  const body: Record<string, unknown> = {
    model,
    prompt: request.prompt,
    max_tokens: request.maxTokens,
    ...wireSampling(request.sampling),
  }
  if (request.suffix !== undefined) body.suffix = request.suffix
  if (request.echo) body.echo = true
  if (request.choices !== 1) body.n = request.choices
  if (request.bestOf !== request.choices) body.best_of = request.bestOf
  if (request.topLogprobs !== undefined) body.logprobs = request.topLogprobs
  if (request.user !== undefined) body.user = request.user
  return body
}

function readTextChoice(choice: Record<string, unknown>, at: number, request: TextRequest): TextChoice {
  const { index, text, finish_reason: finish } = choice
  if (typeof text !== 'string') throw senseless('sent a choice without text')
  const logprobs = request.topLogprobs === undefined ? null : readTextLogprobs(choice.logprobs)
  if (request.topLogprobs !== undefined && !logprobs && text !== '') throw unsupported('logprobs')
  return {
    index: Number.isSafeInteger(index) ? (index as number) : at,
    text,
    logprobs,
    finish_reason: textFinish(typeof finish === 'string' ? finish : 'stop'),
  }
}
