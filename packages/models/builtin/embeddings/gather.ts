// Short requests that come while the model works are answered together: it takes hardly longer for many than for one.
import type { Call } from '../../call.ts'

const maxTexts = 64
const maxAtOnce = 2
const never = new AbortController().signal

interface Waiting<Answer> {
  texts: readonly string[]
  call: Call
  resolve(answers: Answer[]): void
  reject(error: unknown): void
}

/** Answers one text each, in order. */
type AskAll<Answer> = (texts: string[], call: Call) => Promise<Answer[]>

export class Gather<Answer> {
  readonly #ask: AskAll<Answer>
  #waiting: Waiting<Answer>[] = []
  #running = 0
  #isScheduled = false

  constructor(ask: AskAll<Answer>) {
    this.#ask = ask
  }

  add(texts: readonly string[], call: Call): Promise<Answer[]> {
    return new Promise((resolve, reject) => {
      if (call.signal.aborted) return reject(call.signal.reason)
      this.#waiting.push({ texts, call, resolve, reject })
      this.#schedule()
    })
  }

  /** What comes in the same moment goes together. */
  #schedule(): void {
    if (this.#isScheduled || this.#running >= maxAtOnce) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    const group = this.#next()
    const [first] = group
    if (first === undefined) return
    this.#running++
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
      this.#running--
      this.#schedule()
    }
  }

  /** One of each caller in turns, as many as go together; batches wait while people do. */
  #next(): Waiting<Answer>[] {
    const open = this.#waiting.filter(({ call }) => !call.signal.aborted)
    for (const { call, reject } of this.#waiting) if (call.signal.aborted) reject(call.signal.reason)
    const people = open.filter(({ call }) => !call.background)
    const group = inTurns(people.length > 0 ? people : open)
    const chosen = new Set(group)
    this.#waiting = open.filter((waiting) => !chosen.has(waiting))
    return group
  }
}

function inTurns<Answer>(open: readonly Waiting<Answer>[]): Waiting<Answer>[] {
  const lines = [...Map.groupBy(open, ({ call }) => call.turn).values()]
  const group: Waiting<Answer>[] = []
  let texts = 0
  for (let round = 0; texts < maxTexts; round++) {
    const next = lines.flatMap((line) => line[round] ?? [])
    if (next.length === 0) break
    for (const waiting of next) {
      if (group.length > 0 && texts + waiting.texts.length > maxTexts) continue
      group.push(waiting)
      texts += waiting.texts.length
    }
  }
  return group
}
