// A model that answers questions from a process of its own: started by the first question, shared in fair turns, and
// stopped when nobody asked for long.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Call } from '../call.ts'
import { FairQueue, type FairQueueOptions } from '../fair-queue.ts'
import type { MemoryBudget, Tenant } from './memory-budget.ts'
import { ModelProcess } from './model-process.ts'
import { type Answered, type Asked, Questions } from './questions.ts'
import { Resident } from './resident.ts'

export interface SharedModelOptions extends FairQueueOptions {
  entry: URL
  /** For the log and for errors: "The embedding model". */
  what: string
  /** For the process; asked for at each of its starts. */
  args?(): Promise<string[]>
  idleMs: number
  log: Log
  /** What it takes of the memory that models share; absent: so little that it is not counted. */
  memory?: { budget: MemoryBudget; bytes(): Promise<number> }
}

interface Loaded<Question, Answer> {
  tenant: Tenant | undefined
  process: ModelProcess<Asked<Question>, Answered<Answer>>
  questions: Questions<Question, Answer>
}

export class SharedModel<Question, Answer> {
  readonly #resident: Resident<Loaded<Question, Answer>>
  readonly #turns: FairQueue
  readonly #memory: SharedModelOptions['memory']
  #process: Loaded<Question, Answer>['process'] | undefined

  constructor(options: SharedModelOptions) {
    this.#turns = new FairQueue(options)
    this.#memory = options.memory
    this.#resident = new Resident({
      idleMs: options.idleMs,
      load: () => this.#enter(options),
      unload: (loaded) => this.#stop(loaded),
      isGone: ({ process }) => process.hasEnded,
    })
  }

  get isLoaded(): boolean {
    return this.#resident.isLoaded
  }

  /** Of its process, while there is one. */
  get pid(): number | undefined {
    return this.#process?.hasEnded === false ? this.#process.pid : undefined
  }

  /** One turn. */
  async ask(question: Question, { turn, signal, background }: Call): Promise<Answer> {
    const giveBack = await (background ? this.#turns.takeInBackground(turn, signal) : this.#turns.take(turn, signal))
    try {
      return await this.#resident.use(({ questions, tenant }) => {
        if (tenant !== undefined) this.#memory?.budget.touch(tenant)
        return questions.ask(question, signal)
      })
    } finally {
      giveBack()
    }
  }

  /** What it works on fails; a later question starts it anew. */
  close(): Promise<void> {
    return this.#resident.close()
  }

  async #enter(options: SharedModelOptions): Promise<Loaded<Question, Answer>> {
    if (options.memory === undefined) return this.#start(options)
    const { budget, bytes } = options.memory
    const tenant = { bytes: await bytes(), leave: () => this.#resident.leave() }
    return budget.enterWith(tenant, () => this.#start(options, tenant))
  }

  async #stop({ process, tenant }: Loaded<Question, Answer>): Promise<void> {
    await process.stop()
    if (tenant !== undefined) this.#memory?.budget.exit(tenant)
  }

  async #start({ entry, what, args, log }: SharedModelOptions, tenant?: Tenant): Promise<Loaded<Question, Answer>> {
    const process: Loaded<Question, Answer>['process'] = new ModelProcess({
      entry,
      what,
      args: (await args?.()) ?? [],
      onLog: (line) => log.warn({ line }, `${what} wrote`),
    })
    this.#process = process
    return { process, questions: new Questions(process), tenant }
  }
}
