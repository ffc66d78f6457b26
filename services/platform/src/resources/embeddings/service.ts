// Embeddings: texts or tokens in, vectors out.
import type { EmbedAnswer } from '@atoll/models/embed'
import type { ProjectCaller } from '../../callers.ts'
import type { Inference } from '../../inference/inference.ts'
import { answerModelProblem } from '../../inference/problem-answer.ts'
import { type CallOptions, callOf } from '../chat/completions/service.ts'
import type { CreateEmbeddings } from './schema.ts'

const charactersPerToken = 4

type Inputs = readonly (string | readonly number[])[]

interface Parts {
  inference: Inference
}

export interface CreatedEmbeddings extends EmbedAnswer {
  /** Where the project stands with its limits. */
  headers: Record<string, string>
}

export class Embeddings {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async create(caller: ProjectCaller, request: CreateEmbeddings, options: CallOptions): Promise<CreatedEmbeddings> {
    const { inference } = this.#parts
    const { batch = false } = options
    const inputs = inputsOf(request.input)
    const { user, dimensions } = request
    const model = await inference.resolve(caller, request.model, 'embeddings')
    const demand = { operation: 'embeddings' as const, tokens: estimateTokens(inputs), user, batch }
    const call = await inference.meter(caller, model, demand)
    try {
      const answer = await model.port.embed({ inputs, dimensions, user }, callOf(caller, options))
      call.finish({ model: answer.model, input: answer.promptTokens, cachedInput: 0, output: 0 })
      return { ...answer, headers: call.headers }
    } catch (error) {
      call.abandon()
      return answerModelProblem(error)
    }
  }
}

function inputsOf(input: CreateEmbeddings['input']): Inputs {
  if (typeof input === 'string') return [input]
  return isTokens(input) ? [input] : input
}

const isTokens = (input: string[] | number[] | number[][]): input is number[] => typeof input[0] === 'number'

const estimateTokens = (inputs: Inputs): number =>
  inputs.reduce(
    (sum, input) => sum + Math.ceil(typeof input === 'string' ? input.length / charactersPerToken : input.length),
    0,
  )
