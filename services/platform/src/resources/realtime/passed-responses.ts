// The responses of a session that a server behind this one holds: within the project's limits, written down as usage.
import type { ProjectCaller } from '../../callers.ts'
import type { Inference, MeteredCall } from '../../inference/inference.ts'
import type { Emit } from './events.ts'
import { rateLimitsOf } from './rate-limits.ts'

/** Of one response, before it is known. */
const likelyTokens = 512

interface Parts {
  inference: Inference
  caller: ProjectCaller
  model: string
  tell: Emit
}

export class PassedResponses {
  readonly #parts: Parts
  /** Let in, and not begun by the server yet. */
  readonly #asked: MeteredCall[] = []
  readonly #running = new Map<string, MeteredCall>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws when the project may have no more now. */
  async admit(): Promise<void> {
    this.#asked.push(await this.#meter())
  }

  /** One that nobody asked for is let in here: it answers what the server has heard. */
  async created(id: string): Promise<void> {
    this.#running.set(id, this.#asked.shift() ?? (await this.#meter()))
  }

  /** The server refused something: the oldest that it has not begun, if any. */
  refused(): void {
    this.#asked.shift()?.abandon()
  }

  done(id: string, usage: unknown): void {
    const metered = this.#running.get(id)
    this.#running.delete(id)
    const { input_tokens: input, output_tokens: output, input_token_details: details } = (usage ?? {}) as Usage
    const isTold = typeof input === 'number' && typeof output === 'number'
    const cachedInput = details?.cached_tokens ?? 0
    if (isTold) metered?.finish({ model: this.#parts.model, input, output, cachedInput })
    else metered?.abandon()
  }

  close(): void {
    for (const metered of [...this.#asked.splice(0), ...this.#running.values()]) metered.abandon()
    this.#running.clear()
  }

  async #meter(): Promise<MeteredCall> {
    const { inference, caller, model: id, tell } = this.#parts
    const model = await inference.resolve(caller, id, 'chat')
    const metered = await inference.meter(caller, model, { operation: 'chat', tokens: likelyTokens })
    tell({ type: 'rate_limits.updated', rate_limits: rateLimitsOf(metered.headers) })
    return metered
  }
}

interface Usage {
  input_tokens?: unknown
  output_tokens?: unknown
  input_token_details?: { cached_tokens?: number } | null
}
