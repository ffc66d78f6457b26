// Finds models, takes the project's share of the limits, and writes down what was used.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Call } from '@atoll/models/call'
import type { Runtimes } from '@atoll/models/runtimes'
import type { ProjectCaller } from '../callers.ts'
import { modelErrors } from '../errors/errors.ts'
import type { RateLimits } from '../rate-limits/rate-limits.ts'
import type { Models } from '../resources/models/service.ts'
import type { Catalogue } from './catalogue.ts'
import type { CallDemand, Inference, MeteredCall, Port, UsedModel, UsedTokens } from './inference.ts'
import { answerModelProblem } from './problem-answer.ts'
import { restrict } from './restrictions.ts'
import { underOwnId } from './under-own-id.ts'
import type { UsageEvent } from './usage/event.ts'
import { dollarsOf, listPrice } from './usage/list-price.ts'
import { newUsageEvent } from './usage/new-event.ts'
import type { UsageRecorder } from './usage/recorder.ts'
import { withCall } from './with-call.ts'

interface Parts {
  models: Models
  catalogue: Catalogue
  runtimes: Runtimes
  rateLimits: RateLimits
  usage: UsageRecorder
  clock: Clock
  ids: Ids
  log: Log
  /** Counts US dollars by the price list. */
  spent(labels: { model: string; batch: string }, dollars: number): void
  adapters: Adapters
}

/** What fine-tuned models add to their bases. */
export interface Adapters {
  /** Throws when the base's file is not the one it was trained on. */
  fileOf(model: string, base: { id: string; file: string | undefined; sha256: string | null }): Promise<string>
}

export class MeteredInference implements Inference {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async check(caller: ProjectCaller, id: string, port: Port, endpoint?: string): Promise<void> {
    const { models, catalogue } = this.#parts
    catalogue.find(await models.baseOf(caller, id), port, endpoint)
  }

  async resolve<P extends Port>(caller: ProjectCaller, id: string, port: P, endpoint?: string): Promise<UsedModel<P>> {
    const { models, catalogue, runtimes } = this.#parts
    const base = await models.baseOf(caller, id)
    const { runtime: name, settings } = catalogue.find(base, port, endpoint)
    const runtime = await runtimes.get(name).catch(answerModelProblem)
    if (runtime === undefined) throw modelErrors.notFound(id)
    const found = restrict(runtime, settings)[port]
    if (found === undefined) throw catalogue.refusal(base, port, endpoint)
    const { voice } = settings
    const trained = await this.#trained(caller, id, base, name)
    if (trained === undefined) return { id, port: found, voice }
    const answering = withCall(found, trained)
    const { adapter, model: theirs } = trained
    const isElsewhere = adapter === undefined && theirs !== undefined
    return { id, port: isElsewhere ? underOwnId(answering, { theirs, own: id }) : answering, voice }
  }

  /** What a fine-tuned model's calls carry besides those of its base. */
  async #trained(
    caller: ProjectCaller,
    id: string,
    base: string,
    runtime: string,
  ): Promise<Pick<Call, 'adapter' | 'model'> | undefined> {
    const { models, runtimes, adapters } = this.#parts
    const training = await models.trainingOf(caller, id)
    if (training === undefined) return undefined
    const { hasAdapter, remoteModel, baseSha256: sha256 } = training
    if (remoteModel !== null) return { model: remoteModel }
    if (!hasAdapter) return undefined
    const file = await runtimes.modelFile(runtime)
    return { adapter: await adapters.fileOf(id, { id: base, file, sha256 }), model: id }
  }

  async meter(caller: ProjectCaller, { id }: { id: string }, demand: CallDemand): Promise<MeteredCall> {
    const { models, rateLimits, catalogue } = this.#parts
    // A fine-tuned model shares the limits of the one it was made from.
    const model = await models.baseOf(caller, id)
    const headers = await rateLimits.admit(caller, { model, tokens: demand.tokens, images: demand.images ?? 0 })
    let ended = false
    const end = (used: number): void => {
      ended = true
      if (used !== demand.tokens) this.#settle(caller, model, demand.tokens - used)
    }
    return {
      headers,
      finish: (used) => {
        if (ended) return
        const event = this.#event(caller, id, demand, used)
        const costs = listPrice(event, catalogue.prices(model))
        this.#parts.usage.record(Object.assign(event, costs))
        this.#parts.spent({ model, batch: demand.batch ? 'true' : 'false' }, dollarsOf(costs))
        end(used.input + used.output)
      },
      abandon: () => {
        if (!ended) end(0)
      },
    }
  }

  #settle(caller: ProjectCaller, model: string, tokens: number): void {
    const { rateLimits, log } = this.#parts
    rateLimits
      .settle(caller, model, tokens)
      .catch((error: unknown) => log.warn({ error, model, tokens }, 'Unused tokens could not be given back'))
  }

  #event(caller: ProjectCaller, model: string, demand: CallDemand, used: UsedTokens): UsageEvent {
    const named = { operation: demand.operation, model, answered_by: plainText(used.model) }
    const event = newUsageEvent(this.#parts, caller, named)
    event.input_tokens = wholeNumber(used.input)
    event.cached_input_tokens = wholeNumber(used.cachedInput)
    event.output_tokens = wholeNumber(used.output)
    event.batch = demand.batch ? 1 : 0
    event.characters = wholeNumber(used.characters ?? 0)
    event.audio_ms = wholeNumber(used.audioMs ?? 0)
    if (used.images !== undefined) {
      event.images = wholeNumber(used.images.count)
      event.size = used.images.size
      event.source = used.images.source
    }
    return event
  }
}

const maxNameCharacters = 256
/** More than any call uses; sums of millions of them are still exact. */
const maxTokens = 1_000_000_000

// Other servers say what they used: whatever it is, the table must take it.
const plainText = (text: string): string => text.replaceAll('\0', '').slice(0, maxNameCharacters).toWellFormed()

const wholeNumber = (value: number): number =>
  Number.isFinite(value) ? Math.min(maxTokens, Math.max(0, Math.trunc(value))) : 0
