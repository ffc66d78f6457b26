// Plain completions: a text in, what follows it out, whole or as it comes.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { ChatUsage } from '@atoll/models/chat'
import type { TextDelta, TextModel, TextRequest } from '@atoll/models/text'
import type { ProjectCaller } from '../../callers.ts'
import { failModel } from '../../inference/fail-model.ts'
import type { Inference, MeteredCall } from '../../inference/inference.ts'
import { type CallOptions, callOf } from '../chat/completions/service.ts'
import { startStream } from '../chat/completions/started-stream.ts'
import { StreamUsage, usedTokens } from '../chat/completions/stream-usage.ts'
import { completeAll, streamAll } from './prompt-runs.ts'
import { estimateTokens, toTextRequests } from './request.ts'
import type { Completion, CreateCompletion } from './schema.ts'
import { sumUsage } from './usage-sum.ts'

interface Parts {
  inference: Inference
  ids: Ids
  clock: Clock
}

interface Frame {
  data: string
}

interface Admitted {
  requests: TextRequest[]
  model: TextModel
  metered: MeteredCall
  promptTokens: number
}

export class Completions {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async create(
    caller: ProjectCaller,
    body: CreateCompletion,
    options: CallOptions,
  ): Promise<{ completion: Completion; headers: Record<string, string> }> {
    const { requests, model, metered } = await this.#admit(caller, body, options)
    const call = callOf(caller, options)
    const answers = await completeAll(model, requests, call).catch((error: unknown) => {
      metered.abandon()
      return failModel(error, options.signal)
    })
    const [first] = answers
    if (first === undefined) throw new Error('A completion without a prompt')
    const usage = sumUsage(answers.map((answer) => answer.usage))
    metered.finish(usedTokens(first.model, usage))
    const { model: name, system_fingerprint } = first
    const choices = answers.flatMap((answer) => answer.choices)
    const completion: Completion = { ...this.#head(), model: name, choices, usage, system_fingerprint }
    return { completion, headers: metered.headers }
  }

  /** Rejects when the model fails before its first step; what fails later fails while the frames are read. */
  async stream(
    caller: ProjectCaller,
    body: CreateCompletion,
    options: CallOptions,
  ): Promise<{ frames: AsyncIterable<Frame>; headers: Record<string, string> }> {
    const admitted = await this.#admit(caller, body, options)
    const frames = this.#frames(admitted, body, { signal: options.signal, turn: caller.projectId })
    return { frames: await startStream(frames), headers: admitted.metered.headers }
  }

  async #admit(caller: ProjectCaller, body: CreateCompletion, options: CallOptions): Promise<Admitted> {
    const requests = toTextRequests(body)
    const { inference } = this.#parts
    const model = await inference.resolve(caller, body.model, 'text')
    const { prompt, all } = estimateTokens(requests)
    const demand = { operation: 'completions' as const, tokens: all, batch: options.batch ?? false }
    const metered = await inference.meter(caller, model, demand)
    return { requests, model: model.port, metered, promptTokens: prompt }
  }

  async *#frames(
    { requests, model, metered, promptTokens }: Admitted,
    body: CreateCompletion,
    call: { signal: AbortSignal; turn: string },
  ): AsyncGenerator<Frame> {
    const head = this.#head()
    const includeUsage = body.stream_options?.include_usage === true
    const write = (step: TextDelta, usage: ChatUsage | null): Frame => {
      const { model, system_fingerprint, choices } = step
      const chunk = { ...head, model, choices, system_fingerprint }
      return { data: JSON.stringify(includeUsage ? { ...chunk, usage } : chunk) }
    }
    const used = new StreamUsage(metered, promptTokens)
    const usages: ChatUsage[] = []
    let last: TextDelta | undefined
    try {
      for await (const step of streamAll(model, requests, call)) {
        if (step.usage !== undefined) usages.push(step.usage)
        const known = usages.length === requests.length ? { usage: sumUsage(usages) } : {}
        used.add({ model: step.model, choices: step.choices, ...known })
        last = step
        if (step.choices.length > 0) yield write(step, null)
      }
      used.settle()
      if (includeUsage && last !== undefined) yield write({ ...last, choices: [] }, sumUsage(usages))
      yield { data: '[DONE]' }
    } catch (error) {
      failModel(error, call.signal)
    } finally {
      used.settle()
    }
  }

  #head(): Pick<Completion, 'id' | 'object' | 'created'> {
    return { id: this.#parts.ids.next('cmpl-'), object: 'text_completion', created: unixSeconds(this.#parts.clock) }
  }
}
