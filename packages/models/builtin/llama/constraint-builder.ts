// Asks the worker for the grammars of a request, and remembers those asked for again and again.
import { Worker } from 'node:worker_threads'
import { ModelProblem, type ModelProblemDetail } from '../../problem.ts'
import { type Constraints, constraintsOf, type FormRequest } from './constraints.ts'

export interface BuildQuestion {
  id: number
  request: FormRequest
  template: string | undefined
}

/** Said once, when all it needs is loaded. */
export interface BuildReady {
  isReady: true
}

export interface BuildAnswer {
  id: number
  constraints?: Constraints
  problem?: { message: string; detail: ModelProblemDetail }
}

interface Open {
  question: BuildQuestion
  resolve(constraints: Constraints): void
  reject(error: unknown): void
}

const maxRemembered = 64
/** Longer keys are not remembered: their schemas would take the memory. */
const maxKeyLength = 100_000
const defaultLongestMs = 10_000
const defaultEntry = new URL('./constraints-worker.ts', import.meta.url)
const idleMs = 60_000

export class ConstraintBuilder {
  readonly #entry: URL
  readonly #longestMs: number
  readonly #remembered = new Map<string, Promise<Constraints>>()
  readonly #open = new Map<number, Open>()
  #worker: Worker | undefined
  #isReady = false
  #lastId = 0
  #idle: NodeJS.Timeout | undefined
  #tooLong: NodeJS.Timeout | undefined

  constructor({ entry = defaultEntry, longestMs = defaultLongestMs } = {}) {
    this.#entry = entry
    this.#longestMs = longestMs
  }

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
    clearTimeout(this.#tooLong)
    for (const { reject } of this.#open.values()) {
      reject(new ModelProblem('The server is being stopped.', { kind: 'failed' }))
    }
    this.#open.clear()
    await this.#end()
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
    this.#open.set(question.id, { question, resolve, reject })
    if (this.#open.size === 1) this.#watch()
    this.#worker ??= this.#start()
    this.#worker.postMessage(question)
    try {
      return await promise
    } finally {
      if (this.#open.size === 0) this.#idle = setTimeout(() => void this.#end(), idleMs).unref()
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, {
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    })
    worker.unref()
    worker.on('message', (answer: BuildAnswer | BuildReady) => {
      if (!('isReady' in answer)) return this.#settle(answer)
      this.#isReady = true
      this.#watch()
    })
    worker.on('error', () => this.#giveUp())
    return worker
  }

  #settle({ id, constraints, problem }: BuildAnswer): void {
    const open = this.#open.get(id)
    this.#open.delete(id)
    this.#watch()
    if (constraints !== undefined) open?.resolve(constraints)
    else open?.reject(new ModelProblem(problem?.message ?? '', problem?.detail ?? { kind: 'failed' }))
  }

  /** The worker goes through them in order: its time counts for the first, and not before it has started. */
  #watch(): void {
    clearTimeout(this.#tooLong)
    if (this.#open.size > 0 && this.#isReady) this.#tooLong = setTimeout(() => this.#giveUp(), this.#longestMs)
  }

  /** The first one is too much for the worker. Those behind it go on with a new one. */
  #giveUp(): void {
    const [first] = this.#open.values()
    if (first !== undefined) {
      this.#open.delete(first.question.id)
      first.reject(tooComplex(first.question.request))
    }
    void this.#end()
    this.#watch()
    if (this.#open.size === 0) return
    this.#worker = this.#start()
    for (const { question } of this.#open.values()) this.#worker.postMessage(question)
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    this.#isReady = false
    worker?.removeAllListeners()
    await worker?.terminate()
  }
}

const tooComplex = ({ responseFormat }: FormRequest): ModelProblem =>
  new ModelProblem('The schema is too complex to be enforced. Give a simpler one.', {
    kind: 'unsupported',
    param: responseFormat.type === 'text' ? 'tools' : 'response_format',
  })
