// The embedding model as the server sees it: short texts are read at once, in the server's own thread; all else by two
// threads that are started when needed and shared in fair turns, one of them for what nobody waits for. Several runtimes
// of different widths may use one encoder.
import type { Log } from '@atoll/kernel/telemetry/log'
import { Admission } from '../../admission.ts'
import type { Call } from '../../call.ts'
import { ModelProblem } from '../../problem.ts'
import { Resident } from '../../process/resident.ts'
import { SharedModel } from '../../process/shared-model.ts'
import { inBatches } from './batches.ts'
import { LoopTurns } from './loop-turns.ts'
import type { EmbedAnswered, EmbedQuestion } from './protocol.ts'
import { type EncoderTables, makeTables } from './tables.ts'
import { type ReadText, TextReader } from './text-reader.ts'

const defaultIdleMs = 5 * 60_000
/** Inputs of one project's requests that are being worked on or wait: bounds what their texts and vectors take. */
const defaultMaxPendingInputs = 16_384
const maxRetryAfterSeconds = 60
/** Told in one message; a turn of the thread is shorter by far. */
const batchSize = { items: 256, size: 64 * 1024 }
const bytesPerToken = 8

interface EncoderOptions {
  log: Log
  /** Unused for so long, the model is unloaded. */
  idleMs?: number
  maxPendingInputs?: number
  backgroundShare?: number | undefined
}

interface Loaded {
  tables: EncoderTables
  /** Of this thread. */
  reader: TextReader
}

type Model = SharedModel<EmbedQuestion, EmbedAnswered>

export class Encoder {
  readonly #model: Model
  /** For what nobody waits for. */
  readonly #background: Model
  readonly #pending: Admission
  readonly #loaded: Resident<Loaded>
  readonly #loop = new LoopTurns()
  #tables: EncoderTables | undefined
  #msPerInput = 1

  constructor(options: EncoderOptions) {
    const { log, idleMs = defaultIdleMs, maxPendingInputs = defaultMaxPendingInputs, backgroundShare } = options
    this.#pending = new Admission(maxPendingInputs)
    const shared = {
      what: 'The embedding model',
      thread: { data: () => this.#tables },
      // Of what nobody waits for the share is half of them: one is worked on and one is next, with less the thread would
      // stand still between two groups. A request waits for four turns at most: the bound on inputs is the one that is met.
      places: 4,
      maxWaiting: 4 * maxPendingInputs,
      backgroundShare,
      // One project's files leave the other place to those of others.
      backgroundPerCaller: 1,
      idleMs,
      log,
    }
    this.#model = new SharedModel({ ...shared, entry: new URL('./encoder-thread.ts', import.meta.url) })
    this.#background = new SharedModel({ ...shared, entry: new URL('./background-thread.ts', import.meta.url) })
    this.#loaded = new Resident({
      idleMs,
      load: () => this.#load(),
      unload: async () => {
        this.#tables = undefined
      },
      isGone: () => false,
    })
  }

  /** Of its threads, and of what this one has of it. */
  get isLoaded(): boolean {
    return this.#model.isLoaded || this.#background.isLoaded || this.#loaded.isLoaded
  }

  get pendingInputs(): number {
    return this.#pending.total
  }

  /** Counts the inputs of a request in; the result counts them out. Throws when too many are pending. */
  admit(inputs: number, { turn }: Call): () => void {
    const leave = this.#pending.enter(turn, inputs)
    if (leave === undefined) throw this.#overloaded()
    return leave
  }

  async decode(tokens: readonly (readonly number[])[], call: Call): Promise<string[]> {
    const texts: string[] = []
    for (const batch of inBatches(tokens, ({ length }) => length * bytesPerToken, batchSize)) {
      const answer = await this.#ask({ ask: 'decode', tokens: batch }, call)
      if ('texts' in answer) for (const text of answer.texts) texts.push(text)
    }
    return texts
  }

  /** For texts that take a moment in all, at once in this thread. */
  short(texts: readonly string[], call: Call): Promise<ReadText[]> {
    return this.#loaded.use(({ reader }) => this.#loop.do(call, () => texts.map((text) => reader.read(text))))
  }

  /** Texts of any length. */
  async read(texts: readonly string[], call: Call): Promise<ReadText[]> {
    const batches = inBatches(texts, ({ length }) => length, batchSize)
    const answers: ReadText[][] = []
    const waiting = batches.entries()
    const failure = new AbortController()
    const signal = AbortSignal.any([call.signal, failure.signal])
    // Two at a time, each with the next batch: while one is worked on, the other is on its way.
    const work = async (): Promise<void> => {
      for (const [index, batch] of waiting) answers[index] = await this.#readBatch(batch, { ...call, signal })
    }
    try {
      await Promise.all([work(), work()])
    } catch (error) {
      failure.abort(error)
      throw error
    }
    return answers.flat()
  }

  /** What it worked on fails; a later use starts it anew. */
  async close(): Promise<void> {
    await Promise.all([this.#model.close(), this.#background.close()])
    await this.#loaded.close()
  }

  async #readBatch(texts: string[], call: Call): Promise<ReadText[]> {
    const startedAt = performance.now()
    const answer = await this.#ask({ ask: 'read', texts }, call)
    if (!('read' in answer)) throw new ModelProblem('The embedding model answered something else.', { kind: 'failed' })
    this.#msPerInput += ((performance.now() - startedAt) / 2 / texts.length - this.#msPerInput) / 8
    return answer.read
  }

  async #load(): Promise<Loaded> {
    const tables = await makeTables()
    return { tables, reader: new TextReader(tables) }
  }

  /** A thread is started with the tables: they are there before it is asked, and until it has answered. */
  async #ask(question: EmbedQuestion, call: Call): Promise<EmbedAnswered> {
    call.signal.throwIfAborted()
    return this.#loaded.use(({ tables }) => {
      this.#tables = tables
      return (call.background ? this.#background : this.#model).ask(question, call)
    })
  }

  #overloaded(): ModelProblem {
    const seconds = Math.ceil((this.#pending.total * this.#msPerInput) / 1000)
    return new ModelProblem('The embedding model is busy and too many inputs wait for it already.', {
      kind: 'overloaded',
      retryAfterSeconds: Math.min(maxRetryAfterSeconds, Math.max(1, seconds)),
    })
  }
}
