// Short requests that come while the model works are answered together: it takes hardly longer for many than for one.
import type { Call } from '../../call.ts'

const maxTexts = 64
/** Of a group's texts together: a word does not wait for pages that came with it. */
const maxLetters = 2_048
const maxAtOnce = 2
const never = new AbortController().signal

interface Waiting<Answer> {
  texts: readonly string[]
  call: Call
  resolve(answers: Answer[]): void
  reject(error: unknown): void
}

interface Line<Answer> {
  waiting: Set<Waiting<Answer>>
  /** Groups that were asked. */
  running: number
}

/** Answers one text each, in order. */
type AskAll<Answer> = (texts: string[], call: Call) => Promise<Answer[]>

export class Gather<Answer> {
  readonly #ask: AskAll<Answer>
  readonly #people: Line<Answer> = { waiting: new Set(), running: 0 }
  /** Apart: its groups may wait long for a place of the model, and people must not wait behind them. */
  readonly #batches: Line<Answer> = { waiting: new Set(), running: 0 }
  #isScheduled = false

  constructor(ask: AskAll<Answer>) {
    this.#ask = ask
  }

  /** A caller who leaves is rejected at once; a group that was asked goes on for the others. */
  async add(texts: readonly string[], call: Call): Promise<Answer[]> {
    const { signal, background } = call
    signal.throwIfAborted()
    const { waiting } = background ? this.#batches : this.#people
    const { promise, resolve, reject } = Promise.withResolvers<Answer[]>()
    const caller = { texts, call, resolve, reject }
    const leave = (): void => {
      waiting.delete(caller)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    waiting.add(caller)
    this.#schedule()
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** What comes in the same moment goes together. */
  #schedule(): void {
    if (this.#isScheduled || this.#next() === undefined) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#run()
    })
  }

  /** Batches wait while people do. */
  #next(): Line<Answer> | undefined {
    const line = this.#people.waiting.size > 0 ? this.#people : this.#batches
    return line.waiting.size > 0 && line.running < maxAtOnce ? line : undefined
  }

  async #run(): Promise<void> {
    const line = this.#next()
    const group = inTurns([...(line?.waiting ?? [])])
    const [first] = group
    if (line === undefined || first === undefined) return
    for (const caller of group) line.waiting.delete(caller)
    line.running++
    this.#schedule()
    try {
      const { turn, background = false } = first.call
      const answers = await this.#ask(
        group.flatMap(({ texts }) => texts),
        { turn, signal: never, background },
      )
      let from = 0
      for (const { texts, resolve } of group) {
        resolve(answers.slice(from, from + texts.length))
        from += texts.length
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      line.running--
      this.#schedule()
    }
  }
}

/** One of each caller in turns, as many as go together. */
function inTurns<Answer>(open: readonly Waiting<Answer>[]): Waiting<Answer>[] {
  const lines = [...Map.groupBy(open, ({ call }) => call.turn).values()]
  const group: Waiting<Answer>[] = []
  let texts = 0
  let letters = 0
  for (let round = 0; texts < maxTexts && letters < maxLetters; round++) {
    const next = lines.flatMap((line) => line[round] ?? [])
    if (next.length === 0) break
    for (const waiting of next) {
      const more = waiting.texts.reduce((sum, { length }) => sum + length, 0)
      const isFull = texts + waiting.texts.length > maxTexts || letters + more > maxLetters
      if (group.length > 0 && isFull) continue
      group.push(waiting)
      texts += waiting.texts.length
      letters += more
    }
  }
  return group
}
