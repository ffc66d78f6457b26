// The embedding model as the server sees it: a process that is started when needed and shared in fair turns. Several
// runtimes of different widths may use one encoder.
import type { Log } from '@atoll/kernel/telemetry/log'
import { Admission } from '../../admission.ts'
import type { Call } from '../../call.ts'
import { ModelProblem } from '../../problem.ts'
import { SharedModel } from '../../process/shared-model.ts'
import { Gather } from './gather.ts'
import { batchParts, cutParts, inBatches, type Part } from './parts.ts'
import type { EmbedAnswered, EmbedQuestion } from './protocol.ts'
import { sentenceNumbers } from './sentence-model.ts'

const defaultIdleMs = 5 * 60_000
/** Inputs of one project's requests that are being worked on or wait: bounds what their texts and vectors take. */
const defaultMaxPendingInputs = 16_384
const maxRetryAfterSeconds = 60
const readBatch = { items: 512, size: 256 * 1024 }

interface EncoderOptions {
  log: Log
  /** Unused for so long, the model is unloaded. */
  idleMs?: number
  maxPendingInputs?: number
  backgroundShare?: number | undefined
}

export interface ShortAnswer {
  sum: Float32Array
  tokens: number
}

export class Encoder {
  readonly #model: SharedModel<EmbedQuestion, EmbedAnswered>
  readonly #pending: Admission
  readonly #gather = new Gather<ShortAnswer>((texts, call) => this.#encodeShort(texts, call))
  #msPerInput = 15

  constructor(options: EncoderOptions) {
    const { log, idleMs = defaultIdleMs, maxPendingInputs = defaultMaxPendingInputs, backgroundShare } = options
    this.#pending = new Admission(maxPendingInputs)
    this.#model = new SharedModel({
      entry: new URL('./encoder-process.ts', import.meta.url),
      what: 'The embedding model',
      // One is worked on, one is next, and as many for batches, whose share is half of them: with less the model would
      // stand still between two groups. A request waits for two turns at most: the bound on inputs is the one that is met.
      places: 4,
      maxWaiting: 4 * maxPendingInputs,
      backgroundShare,
      // One project's files leave the other place to those of others.
      backgroundPerCaller: 1,
      idleMs,
      log,
    })
  }

  /** Of the model's process, while there is one. */
  get pid(): number | undefined {
    return this.#model.pid
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

  async countTokens(texts: readonly string[], call: Call): Promise<number[]> {
    const counts: number[] = []
    for (const batch of inBatches(texts, ({ length }) => length, readBatch)) {
      const answer = await this.#model.ask({ ask: 'count', texts: batch, ...classOf(call) }, call)
      if ('counts' in answer) for (const count of answer.counts) counts.push(count)
    }
    return counts
  }

  async decode(tokens: readonly (readonly number[])[], call: Call): Promise<string[]> {
    const texts: string[] = []
    for (const batch of inBatches(tokens, ({ length }) => length * 8, readBatch)) {
      const answer = await this.#model.ask({ ask: 'decode', tokens: batch }, call)
      if ('texts' in answer) for (const text of answer.texts) texts.push(text)
    }
    return texts
  }

  /** 512 numbers per text, of any length. */
  async encode(texts: readonly string[], call: Call): Promise<Float32Array[]> {
    const sums = texts.map(() => new Float32Array(sentenceNumbers))
    const batches = batchParts(cutParts(texts)).values()
    const failure = new AbortController()
    const signal = AbortSignal.any([call.signal, failure.signal])
    // Two at a time, each with the next batch: while one is worked on, the other is on its way.
    const work = async (): Promise<void> => {
      for (const batch of batches) await this.#encodeBatch(batch, sums, { ...call, signal })
    }
    try {
      await Promise.all([work(), work()])
    } catch (error) {
      failure.abort(error)
      throw error
    }
    return sums
  }

  async #encodeBatch(batch: readonly Part[], sums: readonly Float32Array[], call: Call): Promise<void> {
    const startedAt = performance.now()
    const answer = await this.#model.ask(
      { ask: 'encode', texts: batch.map(({ text }) => text), ...classOf(call) },
      call,
    )
    if (!('sums' in answer)) return
    for (const [index, { input }] of batch.entries()) add(sums[input], answer.sums, index * sentenceNumbers)
    this.#msPerInput += ((performance.now() - startedAt) / 2 / batch.length - this.#msPerInput) / 8
  }

  /** For texts of one part each: their vectors and numbers of tokens, together with other short requests. */
  short(texts: readonly string[], call: Call): Promise<ShortAnswer[]> {
    return this.#gather.add(texts, call)
  }

  async #encodeShort(texts: string[], call: Call): Promise<ShortAnswer[]> {
    const startedAt = performance.now()
    const answer = await this.#model.ask({ ask: 'short', texts, ...classOf(call) }, call)
    if (!('sums' in answer && 'counts' in answer)) return []
    this.#msPerInput += ((performance.now() - startedAt) / texts.length - this.#msPerInput) / 8
    return answer.counts.map((tokens, index) => ({
      sum: answer.sums.slice(index * sentenceNumbers, (index + 1) * sentenceNumbers),
      tokens,
    }))
  }

  /** What it worked on fails; a later use starts it anew. */
  close(): Promise<void> {
    return this.#model.close()
  }

  #overloaded(): ModelProblem {
    const seconds = Math.ceil((this.#pending.total * this.#msPerInput) / 1000)
    return new ModelProblem('The embedding model is busy and too many inputs wait for it already.', {
      kind: 'overloaded',
      retryAfterSeconds: Math.min(maxRetryAfterSeconds, Math.max(1, seconds)),
    })
  }
}

const classOf = ({ background = false }: Call) => ({ isBackground: background })

function add(sum: Float32Array | undefined, rows: Float32Array, from: number): void {
  if (sum === undefined) return
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (rows[from + at] ?? 0)
}
