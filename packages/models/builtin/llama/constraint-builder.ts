// Asks the worker for the grammars of a request, and remembers those asked for again and again.
import { Worker } from 'node:worker_threads'
import { ModelProblem, type ModelProblemDetail } from '../../problem.ts'
import { type Constraints, constraintsOf, type FormRequest } from './constraints.ts'

export interface BuildQuestion {
  id: number
  request: FormRequest
  template: string | undefined
}

export interface BuildAnswer {
  id: number
  constraints?: Constraints
  problem?: { message: string; detail: ModelProblemDetail }
}

interface Open {
  resolve(constraints: Constraints): void
  reject(error: unknown): void
}

const maxRemembered = 64
/** Longer keys are not remembered: their schemas would take the memory. */
const maxKeyLength = 100_000
const longestBuildMs = 10_000
const idleMs = 60_000

export class ConstraintBuilder {
  readonly #remembered = new Map<string, Promise<Constraints>>()
  readonly #open = new Map<number, Open>()
  #worker: Worker | undefined
  #lastId = 0
  #idle: NodeJS.Timeout | undefined

  build(
    { tools, toolChoice, parallelToolCalls, responseFormat }: FormRequest,
    template: string | undefined,
  ): Promise<Constraints> {
    const request = { tools, toolChoice, parallelToolCalls, responseFormat }
    const isFree = responseFormat.type === 'text' && (tools.length === 0 || toolChoice === 'none')
    if (isFree) return Promise.resolve(constraintsOf(request, template))
    const key = JSON.stringify([request, template])
    const known = this.#remembered.get(key)
    if (known !== undefined) return known
    const constraints = this.#ask({ id: ++this.#lastId, request, template })
    if (key.length <= maxKeyLength) this.#remember(key, constraints)
    return constraints
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#stop(new ModelProblem('The server is being stopped.', { kind: 'failed' }))
  }

  #remember(key: string, constraints: Promise<Constraints>): void {
    this.#remembered.set(key, constraints)
    constraints.catch(() => this.#remembered.delete(key))
    const [oldest] = this.#remembered.keys()
    if (this.#remembered.size > maxRemembered && oldest !== undefined) this.#remembered.delete(oldest)
  }

  async #ask(question: BuildQuestion): Promise<Constraints> {
    clearTimeout(this.#idle)
    const { promise, resolve, reject } = Promise.withResolvers<Constraints>()
    this.#open.set(question.id, { resolve, reject })
    const tooLong = setTimeout(() => void this.#stop(tooComplex()), longestBuildMs)
    this.#worker ??= this.#start()
    this.#worker.postMessage(question)
    try {
      return await promise
    } finally {
      clearTimeout(tooLong)
      if (this.#open.size === 0) this.#idle = setTimeout(() => void this.close(), idleMs).unref()
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL('./constraints-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    worker.unref()
    worker.on('message', (answer: BuildAnswer) => this.#settle(answer))
    worker.on('error', () => void this.#stop(tooComplex()))
    return worker
  }

  #settle({ id, constraints, problem }: BuildAnswer): void {
    const open = this.#open.get(id)
    this.#open.delete(id)
    if (constraints !== undefined) open?.resolve(constraints)
    else open?.reject(new ModelProblem(problem?.message ?? '', problem?.detail ?? { kind: 'failed' }))
  }

  /** Those who wait behind a request that takes too long are told so too; their next try finds a new worker. */
  async #stop(problem: ModelProblem): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    for (const { reject } of this.#open.values()) reject(problem)
    this.#open.clear()
    await worker?.terminate()
  }
}

const tooComplex = (): ModelProblem =>
  new ModelProblem('The schema is too complex to be enforced. Give a simpler one.', {
    kind: 'unsupported',
    param: 'response_format',
  })
