// The moderation model as the server sees it: a process that is started when needed and shared in fair turns.
import type { Log } from '@atoll/kernel/telemetry/log'
import { Admission } from '../../admission.ts'
import type { Call } from '../../call.ts'
import { ModelProblem } from '../../problem.ts'
import { SharedModel } from '../../process/shared-model.ts'
import type { ModerationAnswered, ModerationQuestion } from './protocol.ts'
import type { HeadScores } from './text-heads.ts'

const defaultIdleMs = 5 * 60_000
const defaultMaxPending = 256
/** Pieces of text a request gets done in one turn. */
const turnPieces = 16
const maxRetryAfterSeconds = 60

export interface ModeratorOptions {
  log: Log
  /** Unused for so long, the model is unloaded. */
  idleMs?: number
  /** One project's requests that are being worked on or wait. */
  maxPending?: number
}

export class Moderator {
  readonly #model: SharedModel<ModerationQuestion, ModerationAnswered>
  readonly #pending: Admission
  #msPerRequest = 100

  constructor({ log, idleMs = defaultIdleMs, maxPending = defaultMaxPending }: ModeratorOptions) {
    this.#pending = new Admission(maxPending)
    this.#model = new SharedModel({
      entry: new URL('./moderation-process.ts', import.meta.url),
      isUnhurried: true,
      what: 'The moderation model',
      // The process works on them in turns. A request waits for one place at a time: the bound on requests is the one
      // that is met.
      places: 4,
      maxWaiting: 2 * maxPending,
      idleMs,
      log,
    })
  }

  get pending(): number {
    return this.#pending.total
  }

  get isLoaded(): boolean {
    return this.#model.isLoaded
  }

  /** Counts a request in while it works. Throws when too many are there already. */
  async admit<T>({ turn }: Call, work: () => Promise<T>): Promise<T> {
    const leave = this.#pending.enter(turn, 1)
    if (leave === undefined) throw this.#overloaded()
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      this.#msPerRequest += ((performance.now() - startedAt) / this.#pending.total - this.#msPerRequest) / 8
      leave()
    }
  }

  /** The same text again is not judged again: long ones are often made of lines that come back. */
  async scoreTexts(texts: readonly string[], call: Call): Promise<HeadScores[]> {
    const known = new Map<string, HeadScores | undefined>(texts.map((text) => [text, undefined]))
    const different = [...known.keys()]
    for (let from = 0; from < different.length; from += turnPieces) {
      const some = different.slice(from, from + turnPieces)
      const answer = await this.#model.ask({ ask: 'texts', texts: some }, call)
      if ('texts' in answer) for (const [at, text] of some.entries()) known.set(text, answer.texts[at])
    }
    return texts.flatMap((text) => known.get(text) ?? [])
  }

  /** How likely it is sexual. */
  async scoreImage(image: Uint8Array, call: Call): Promise<number> {
    const answer = await this.#model.ask({ ask: 'image', image }, call)
    return 'image' in answer ? answer.image : 0
  }

  close(): Promise<void> {
    return this.#model.close()
  }

  #overloaded(): ModelProblem {
    const seconds = Math.ceil((this.#pending.total * this.#msPerRequest) / 1000)
    return new ModelProblem('The moderation model is busy and too many requests wait for it already.', {
      kind: 'overloaded',
      retryAfterSeconds: Math.min(maxRetryAfterSeconds, Math.max(1, seconds)),
    })
  }
}
