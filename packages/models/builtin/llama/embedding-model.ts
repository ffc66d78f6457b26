// Embeddings from a GGUF file that was made for them.
import { basename } from 'node:path'
import type { Call } from '../../call.ts'
import type { EmbedAnswer, EmbeddingModel, EmbedRequest } from '../../embed.ts'
import { ModelProblem } from '../../problem.ts'
import { SharedModel } from '../../process/shared-model.ts'
import { widen } from '../embeddings/width.ts'
import type { EmbeddingAnswer, EmbeddingOptions, EmbeddingQuestion } from './embedding-process.ts'
import type { LlamaEngine, LlamaNeeds } from './llama-engine.ts'
import { planEmbeddings } from './plan-embeddings.ts'
import type { LlamaSettings } from './settings.ts'

const entry = new URL('./embedding-process.ts', import.meta.url)

/** Asked at once: little enough that others get their turn, and that a caller who leaves is soon rid of. */
const inputsPerQuestion = 16

export class LlamaEmbeddings implements EmbeddingModel {
  readonly #engine: LlamaEngine
  readonly #model: SharedModel<EmbeddingQuestion, EmbeddingAnswer>

  constructor(engine: LlamaEngine, settings: LlamaSettings, { log, memory, backgroundShare }: LlamaNeeds) {
    this.#engine = engine
    const plan = async (): Promise<EmbeddingOptions> => {
      const { info, load } = await engine.facts()
      return { file: load.file, ...planEmbeddings(info, settings, load.threads) }
    }
    this.#model = new SharedModel({
      entry,
      what: `The model ${basename(settings.file)}`,
      args: async () => [JSON.stringify(await plan())],
      memory: { budget: memory, bytes: async () => (await plan()).memoryBytes },
      // The process works on them side by side.
      places: 4,
      maxWaiting: settings.maxWaiting,
      backgroundShare,
      idleMs: settings.idleSeconds * 1000,
      log,
    })
  }

  /** Of its process, while there is one. */
  get pid(): number | undefined {
    return this.#model.pid
  }

  async embed({ inputs, dimensions }: EmbedRequest, call: Call): Promise<EmbedAnswer> {
    const { name, info } = await this.#engine.facts()
    const isBackground = call.background === true
    if (info.pooling === undefined || info.pooling === 'none' || info.pooling === 'rank') {
      const message = `The model ${name} was not made for embeddings. Name one that was.`
      throw new ModelProblem(message, { kind: 'unsupported', param: 'model' })
    }
    const width = info.embeddingLength ?? 0
    if (dimensions !== undefined && dimensions > width) {
      const message = `The model ${name} gives ${width} numbers: 'dimensions' can be at most that.`
      throw new ModelProblem(message, { kind: 'invalid', param: 'dimensions' })
    }
    const vectors: Float32Array[] = []
    let promptTokens = 0
    for (let at = 0; at < inputs.length; at += inputsPerQuestion) {
      const slice = inputs
        .slice(at, at + inputsPerQuestion)
        .map((input) => (typeof input === 'string' ? input : [...input]))
      const answer = await this.#model.ask({ inputs: slice, isBackground }, call).catch((error: unknown) => {
        throw renumbered(error, at, inputs.length)
      })
      promptTokens += answer.tokens
      for (const vector of answer.vectors) vectors.push(dimensions === undefined ? vector : widen(vector, dimensions))
    }
    return { model: name, vectors, promptTokens }
  }

  close(): Promise<void> {
    return this.#model.close()
  }
}

/** The process knows only its slice: the place in the whole request is told. */
function renumbered(error: unknown, from: number, count: number): unknown {
  if (!(error instanceof ModelProblem) || !('param' in error.detail) || count === 1) return error
  const { param } = error.detail
  const place = Number(/^input\[(\d+)\]$/.exec(param)?.[1] ?? 0)
  return new ModelProblem(error.message, { ...error.detail, param: `input[${from + place}]` })
}
