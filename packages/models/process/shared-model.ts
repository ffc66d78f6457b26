// A model that answers questions from a process or a thread of its own: started by the first question, shared in fair turns, and
// stopped when nobody asked for long.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Call } from '../call.ts'
import { FairQueue, type FairQueueOptions } from '../fair-queue.ts'
import type { MemoryBudget, Tenant } from './memory-budget.ts'
import type { ModelHost } from './model-host.ts'
import { ModelProcess } from './model-process.ts'
import { ModelThread } from './model-thread.ts'
import { type Answered, type Asked, Questions } from './questions.ts'
import { Resident } from './resident.ts'

export interface SharedModelOptions extends FairQueueOptions {
  entry: URL
  /** In a thread in place of a process; what it is started with. */
  thread?: { data(): unknown }
  /** For the log and for errors: "The embedding model". */
  what: string
  /** For the process; asked for at each of its starts. */
  args?(): Promise<string[]>
  /** Of the process: requests and other models go before it. */
  isUnhurried?: boolean
  idleMs: number
  log: Log
  /** What it takes of the memory that models share; absent: so little that it is not counted. */
  memory?: { budget: MemoryBudget; bytes(): Promise<number> }
}

interface Loaded<Question, Answer> {
  tenant: Tenant | undefined
  host: ModelHost<Asked<Question>, Answered<Answer>>
  questions: Questions<Question, Answer>
}

export class SharedModel<Question, Answer> {
  readonly #resident: Resident<Loaded<Question, Answer>>
  readonly #turns: FairQueue
  readonly #memory: SharedModelOptions['memory']
  #host: Loaded<Question, Answer>['host'] | undefined

  constructor(options: SharedModelOptions) {
    this.#turns = new FairQueue(options)
    this.#memory = options.memory
    this.#resident = new Resident({
      idleMs: options.idleMs,
      load: () => this.#enter(options),
      unload: (loaded) => this.#stop(loaded),
      isGone: ({ host }) => host.hasEnded,
    })
  }

  get isLoaded(): boolean {
    return this.#resident.isLoaded
  }

  /** Of its process, while there is one. */
  get pid(): number | undefined {
    return this.#host instanceof ModelProcess && !this.#host.hasEnded ? this.#host.pid : undefined
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

  async #stop({ host, tenant }: Loaded<Question, Answer>): Promise<void> {
    await host.stop()
    if (tenant !== undefined) this.#memory?.budget.exit(tenant)
  }

  async #start(options: SharedModelOptions, tenant?: Tenant): Promise<Loaded<Question, Answer>> {
    const { entry, what, args, isUnhurried = false, thread, log } = options
    const host: Loaded<Question, Answer>['host'] =
      thread === undefined
        ? new ModelProcess({
            entry,
            what,
            args: (await args?.()) ?? [],
            isUnhurried,
            onLog: (line) => log.warn({ line }, `${what} wrote`),
          })
        : new ModelThread({ entry, what, data: thread.data() })
    this.#host = host
    return { host, questions: new Questions(host), tenant }
  }
}
