// A model that answers questions from a process of its own: started by the first question, shared in fair turns, and
// stopped when nobody asked for long.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Call } from '../call.ts'
import { FairQueue, type FairQueueOptions } from '../fair-queue.ts'
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
}

interface Loaded<Question, Answer> {
  process: ModelProcess<Asked<Question>, Answered<Answer>>
  questions: Questions<Question, Answer>
}

export class SharedModel<Question, Answer> {
  readonly #resident: Resident<Loaded<Question, Answer>>
  readonly #turns: FairQueue
  #process: Loaded<Question, Answer>['process'] | undefined

  constructor(options: SharedModelOptions) {
    this.#turns = new FairQueue(options)
    this.#resident = new Resident({
      idleMs: options.idleMs,
      load: () => this.#start(options),
      unload: ({ process }) => process.stop(),
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
      return await this.#resident.use(({ questions }) => questions.ask(question, signal))
    } finally {
      giveBack()
    }
  }

  /** What it works on fails; a later question starts it anew. */
  close(): Promise<void> {
    return this.#resident.close()
  }

  async #start({ entry, what, args, log }: SharedModelOptions): Promise<Loaded<Question, Answer>> {
    const process: Loaded<Question, Answer>['process'] = new ModelProcess({
      entry,
      what,
      args: (await args?.()) ?? [],
      onLog: (line) => log.warn({ line }, `${what} wrote`),
    })
    this.#process = process
    return { process, questions: new Questions(process) }
  }
}
