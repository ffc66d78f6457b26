// Embeds the chunks of files and the queries for them, in vectors of length 1.
import { setTimeout } from 'node:timers/promises'
import { HttpError } from '@atoll/kernel/http/error'
import type { Call } from '@atoll/models/call'
import type { ProjectCaller } from '../../callers.ts'
import type { Inference } from '../../inference/inference.ts'
import { answerModelProblem } from '../../inference/problem-answer.ts'

const charactersPerToken = 4
const firstPauseMs = 250
const tries = 8

/** What embeds the chunks of a store. */
export interface EmbeddingChoice {
  model: string
  /** Null: as many as the model gives. */
  dimensions: number | null
}

/** One vector per text, and what is to be known of them. */
export interface Embedded {
  vectors: Float32Array[]
  /** Which model made them; null where it does not tell. */
  edition: string | null
  /** What their likeness counts beside that of words, where the model knows it. */
  meaningWeight: number | undefined
}

/** What is embedded of a chunk: it is found by what it stands under, too. */
export const embeddedText = ({ heading, text }: { heading: string; text: string }): string =>
  heading === '' ? text : `${heading}\n${text}`

export interface EmbedOptions {
  signal: AbortSignal
  /** Nobody waits for it. */
  background: boolean
}

export class Embedder {
  readonly #inference: Inference
  /** Models that give vectors of one size only. */
  readonly #fixed = new Set<string>()

  constructor(inference: Inference) {
    this.#inference = inference
  }

  /** Rejects with an error of the catalogue. */
  async embed(
    caller: ProjectCaller,
    choice: EmbeddingChoice,
    texts: readonly string[],
    options: EmbedOptions,
  ): Promise<Embedded> {
    if (!options.background) return this.#embedFit(caller, choice, texts, options)
    // What is read and chunked already waits here while the model or the limits are busy.
    for (let attempt = 1, pause = firstPauseMs; ; attempt++, pause *= 2) {
      try {
        return await this.#embedFit(caller, choice, texts, options)
      } catch (error) {
        options.signal.throwIfAborted()
        if (attempt === tries || !isBusy(error)) throw error
      }
      await setTimeout(pause, undefined, { signal: options.signal })
    }
  }

  async #embedFit(
    caller: ProjectCaller,
    { model, dimensions }: EmbeddingChoice,
    texts: readonly string[],
    options: EmbedOptions,
  ): Promise<Embedded> {
    const asked = this.#fixed.has(model) ? undefined : (dimensions ?? undefined)
    try {
      return await this.#ask(caller, model, asked, texts, options)
    } catch (error) {
      const isRefused = error instanceof HttpError && error.status === 400 && namesDimensions(error)
      if (asked === undefined || !isRefused) throw error
      this.#fixed.add(model)
      return this.#ask(caller, model, undefined, texts, options)
    }
  }

  async #ask(
    caller: ProjectCaller,
    id: string,
    dimensions: number | undefined,
    texts: readonly string[],
    { signal, background }: EmbedOptions,
  ): Promise<Embedded> {
    const model = await this.#inference.resolve(caller, id, 'embeddings')
    const tokens = texts.reduce((sum, { length }) => sum + Math.ceil(length / charactersPerToken), 0)
    const metered = await this.#inference.meter(caller, model, { operation: 'embeddings', tokens })
    const call: Call = { signal, turn: caller.projectId, ...(background ? { background } : {}) }
    try {
      const answer = await model.port.embed({ inputs: texts, dimensions, user: undefined }, call)
      refuseMissing(answer.vectors, texts)
      metered.finish({ model: answer.model, input: answer.promptTokens, cachedInput: 0, output: 0 })
      const { edition = null, meaningWeight } = answer
      return { vectors: answer.vectors.map(toLengthOne), edition, meaningWeight }
    } catch (error) {
      metered.abandon()
      return answerModelProblem(error)
    }
  }
}

function refuseMissing(vectors: readonly Float32Array[], texts: readonly string[]): void {
  if (vectors.length === texts.length) return
  throw new Error(`The model gave ${vectors.length} vectors for ${texts.length} texts.`)
}

/** A model that is not there or cannot do this stays so; one that is busy does not. */
const isBusy = (error: unknown): boolean =>
  error instanceof HttpError &&
  (error.status === 429 || (error.status === 503 && error.headers['x-should-retry'] !== 'false'))

function namesDimensions({ body, message }: HttpError): boolean {
  const { error } = body as { error?: { param?: unknown } }
  return error?.param === 'dimensions' || message.includes('dimensions')
}

function toLengthOne(vector: Float32Array): Float32Array {
  let squares = 0
  for (const value of vector) squares += value * value
  if (squares === 0 || Math.abs(squares - 1) < 1e-6) return vector
  const factor = 1 / Math.sqrt(squares)
  return vector.map((value) => value * factor)
}
