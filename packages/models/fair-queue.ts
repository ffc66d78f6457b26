// Places for work that many callers share. Those who wait are served in turns: one of each caller, then the next,
// so that a caller with a thousand requests does not keep another's first one waiting.
import { ModelProblem } from './problem.ts'

export interface FairQueueOptions {
  places: number
  /** More than this wait: refused. */
  maxWaiting: number
  /** What work that nobody waits for may hold of the places, above 0 and up to 1; one place at least. */
  backgroundShare?: number | undefined
}

export const defaultBackgroundShare = 0.5

interface Waiting {
  start(): void
}

export class FairQueue {
  readonly #options: FairQueueOptions
  /** Callers that wait, in the order of their next turn; each with its own in the order they came. */
  readonly #turns = new Map<string, Set<Waiting>>()
  /** Work that nobody waits for. */
  readonly #background = new Set<Waiting>()
  readonly #backgroundPlaces: number
  #waiting = 0
  #taken = 0
  #takenInBackground = 0
  /** How long a place was held lately, for an honest guess of when to come back. */
  #meanHeldMs = 1_000

  constructor(options: FairQueueOptions) {
    this.#options = options
    const { places, backgroundShare = defaultBackgroundShare } = options
    this.#backgroundPlaces = Math.max(1, Math.floor(places * backgroundShare))
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Resolves with a function that gives the place back. Rejects when too many wait, or when the signal says stop. */
  async take(turn: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#taken < this.#options.places) return this.#occupy()
    if (this.#waiting >= this.#options.maxWaiting) throw this.#overloaded()
    return this.#wait(turn, signal)
  }

  /** For work that nobody waits for: others go first, and it never has more than its share of the places. */
  async takeInBackground(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#hasBackgroundPlace()) return this.#occupy(true)
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#background.delete(waiting)
        reject(signal.reason)
      }
      const waiting: Waiting = {
        start: () => {
          signal.removeEventListener('abort', leave)
          resolve(this.#occupy(true))
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#background.add(waiting)
    })
  }

  #hasBackgroundPlace(): boolean {
    const isRoom = this.#taken < this.#options.places && this.#takenInBackground < this.#backgroundPlaces
    return isRoom && this.#waiting === 0
  }

  #wait(turn: string, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#remove(turn, waiting)
        reject(signal.reason)
      }
      const waiting: Waiting = {
        start: () => {
          signal.removeEventListener('abort', leave)
          resolve(this.#occupy())
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      const line = this.#turns.get(turn)
      if (line) line.add(waiting)
      else this.#turns.set(turn, new Set([waiting]))
      this.#waiting++
    })
  }

  #remove(turn: string, waiting: Waiting): void {
    const line = this.#turns.get(turn)
    if (!line?.delete(waiting)) return
    this.#waiting--
    if (line.size === 0) this.#turns.delete(turn)
  }

  #occupy(isBackground = false): () => void {
    this.#taken++
    if (isBackground) this.#takenInBackground++
    const since = performance.now()
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#taken--
      if (isBackground) this.#takenInBackground--
      this.#meanHeldMs += (performance.now() - since - this.#meanHeldMs) / 8
      this.#startNext()
    }
  }

  #startNext(): void {
    if (this.#taken >= this.#options.places) return
    const next = this.#turns.entries().next()
    if (next.done === true) {
      this.#startBackground()
      return
    }
    const [turn, line] = next.value
    const [waiting] = line
    if (waiting === undefined) return
    this.#remove(turn, waiting)
    if (line.size > 0) {
      // To the end of the round.
      this.#turns.delete(turn)
      this.#turns.set(turn, line)
    }
    waiting.start()
  }

  #startBackground(): void {
    const [waiting] = this.#background
    if (waiting === undefined || !this.#hasBackgroundPlace()) return
    this.#background.delete(waiting)
    waiting.start()
  }

  #overloaded(): ModelProblem {
    const rounds = (this.#waiting + 1) / this.#options.places
    const retryAfterSeconds = Math.min(60, Math.max(1, Math.ceil((rounds * this.#meanHeldMs) / 1000)))
    return new ModelProblem('The model is busy and too many requests wait for it already.', {
      kind: 'overloaded',
      retryAfterSeconds,
    })
  }
}
