// A GGUF model as the API sees it: loaded on demand in a process of its own, with places shared fairly.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Call } from '../../call.ts'
import { EventQueue } from '../../event-queue.ts'
import { FairQueue } from '../../fair-queue.ts'
import { ModelProblem } from '../../problem.ts'
import type { MemoryBudget, Tenant } from '../../process/memory-budget.ts'
import { ModelProcess } from '../../process/model-process.ts'
import { Resident } from '../../process/resident.ts'
import { cannotUse, type ModelFacts, readFacts } from './model-facts.ts'
import { PromptReader, type Reading } from './prompt-reader.ts'
import type { Command, Event, GenerateOptions, Prompt } from './protocol.ts'
import type { LlamaSettings } from './settings.ts'

const entry = new URL('./llama-process.ts', import.meta.url)

export type GenerationEvent = Extract<Event, { type: 'started' | 'pieces' | 'finished' }>

export interface LlamaNeeds {
  log: Log
  memory: MemoryBudget
  backgroundShare?: number | undefined
}

interface Link {
  process: ModelProcess<Command, Event[]>
  running: Map<number, EventQueue<GenerationEvent>>
  /** The memory it takes. */
  tenant: Tenant
}

export class LlamaEngine {
  readonly #settings: LlamaSettings
  readonly #log: Log
  readonly #resident: Resident<Link>
  readonly #reader: PromptReader
  readonly #memory: MemoryBudget
  readonly #backgroundShare: number | undefined
  #facts: Promise<ModelFacts> | undefined
  #queue: FairQueue | undefined
  #link: Link | undefined
  #lastId = 0

  constructor(settings: LlamaSettings, { log, memory, backgroundShare }: LlamaNeeds) {
    this.#settings = settings
    this.#log = log
    this.#memory = memory
    this.#backgroundShare = backgroundShare
    this.#reader = new PromptReader({ facts: () => this.facts(), maxWaiting: settings.maxWaiting, log })
    this.#resident = new Resident({
      load: () => this.#enter(),
      unload: (link) => this.#stop(link),
      isGone: ({ process }) => process.hasEnded,
      idleMs: settings.idleSeconds * 1000,
    })
  }

  facts(): Promise<ModelFacts> {
    this.#facts ??= readFacts(this.#settings).catch((error: unknown) => {
      this.#facts = undefined // the file may be put right
      throw error
    })
    return this.#facts
  }

  /** Places in use and requests that wait: for metrics and tests. */
  get load(): { running: number; waiting: number; isLoaded: boolean } {
    const { taken = 0, waiting = 0 } = this.#queue ?? {}
    return { running: taken, waiting, isLoaded: this.#resident.isLoaded }
  }

  /** Of the loaded model's process, while there is one. */
  get processId(): number | undefined {
    return this.#link?.process.hasEnded === false ? this.#link.process.pid : undefined
  }

  /** For `generate`, once for all answers of a request. Throws when the prompt cannot fit. */
  read(prompt: Prompt, prediction: string | undefined, answers: number, call: Call): Promise<Reading> {
    return this.#reader.read(prompt, prediction, answers, call)
  }

  count(prompt: Prompt, call: Call): Promise<number> {
    return this.#reader.count(prompt, call)
  }

  /** Stops within one token when the call is aborted or nobody takes the events any more. */
  async *generate(options: GenerateOptions, call: Call): AsyncGenerator<GenerationEvent[]> {
    const { load } = await this.facts()
    this.#queue ??= new FairQueue({
      places: load.slots,
      maxWaiting: this.#settings.maxWaiting,
      backgroundShare: this.#backgroundShare,
    })
    const givePlaceBack = call.background
      ? await this.#queue.takeInBackground(call.turn, call.signal)
      : await this.#queue.take(call.turn, call.signal)
    try {
      const { value: link, release } = await this.#resident.acquire()
      this.#memory.touch(link.tenant)
      try {
        yield* this.#run(link, options, call.signal)
      } finally {
        release()
      }
    } finally {
      givePlaceBack()
    }
  }

  /** In memory from then on, until it was idle for long. */
  async enter(): Promise<void> {
    const { release } = await this.#resident.acquire()
    release()
  }

  /** False: it is in use. */
  leave(): Promise<boolean> {
    return this.#resident.leave()
  }

  async close(): Promise<void> {
    await Promise.all([this.#resident.close(), this.#reader.close()])
  }

  async *#run(link: Link, options: GenerateOptions, signal: AbortSignal): AsyncGenerator<GenerationEvent[]> {
    signal.throwIfAborted()
    const id = ++this.#lastId
    const events = new EventQueue<GenerationEvent>()
    const abort = (): void => events.fail(signal.reason)
    let isOver = false
    link.running.set(id, events)
    signal.addEventListener('abort', abort, { once: true })
    try {
      link.process.send({ type: 'generate', id, options })
      while (!isOver) {
        const batch = await events.take()
        isOver = batch.some(({ type }) => type === 'finished')
        yield batch
      }
    } finally {
      signal.removeEventListener('abort', abort)
      link.running.delete(id)
      if (!isOver && !link.process.hasEnded) link.process.send({ type: 'cancel', id })
    }
  }

  async #enter(): Promise<Link> {
    const { memoryBytes } = await this.facts()
    const tenant = { bytes: memoryBytes, leave: () => this.#resident.leave() }
    return this.#memory.enterWith(tenant, () => this.#start(tenant))
  }

  async #stop({ process, tenant }: Link): Promise<void> {
    await process.stop()
    this.#memory.exit(tenant)
  }

  async #start(tenant: Tenant): Promise<Link> {
    const { load, name } = await this.facts()
    const startedAt = performance.now()
    const process = new ModelProcess<Command, Event[]>({
      entry,
      what: `The model ${name}`,
      args: [JSON.stringify(load)],
      onLog: (line) => this.#log.warn({ model: name }, line),
    })
    const running: Link['running'] = new Map()
    const { promise: loaded, resolve, reject } = Promise.withResolvers<void>()
    process.onMessage((events) => {
      for (const event of events) this.#receive(event, running, { resolve, reject })
    })
    process.onEnd((problem) => {
      reject(problem)
      for (const events of running.values()) events.fail(problem)
    })
    try {
      await loaded
    } catch (error) {
      await process.stop()
      throw error
    }
    const { contextLength, slots, threads } = load
    const ms = Math.round(performance.now() - startedAt)
    this.#log.info({ model: name, contextLength, slots, threads, ms }, 'Loaded a model')
    this.#link = { process, running, tenant }
    return this.#link
  }

  #receive(event: Event, running: Link['running'], loading: { resolve(): void; reject(error: unknown): void }): void {
    switch (event.type) {
      case 'loaded':
        loading.resolve()
        break
      case 'load-failed':
        loading.reject(cannotUse(this.#settings.file, event.message))
        break
      case 'failed':
        running.get(event.id)?.fail(new ModelProblem(event.message, event.detail))
        break
      default:
        running.get(event.id)?.push(event)
    }
  }
}
