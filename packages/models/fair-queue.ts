// Places for work that many callers share. Those who wait are served in turns: one of each caller, then the next,
// so that a caller with a thousand requests does not keep another's first one waiting.

import { TurnLines } from '@atoll/kernel/turns/turn-lines'
import { ModelProblem } from './problem.ts'

export interface FairQueueOptions {
  places: number
  /** More than this wait: one of whoever has most waiting is refused. */
  maxWaiting: number
  /** What work that nobody waits for may hold of the places, above 0 and up to 1; one place at least. */
  backgroundShare?: number | undefined
  /** How many of those may be one caller's; all of them, unless told. */
  backgroundPerCaller?: number
}

export const defaultBackgroundShare = 0.5

/** With fewer places, keeping one for whoever comes next would cost a single caller too much. */
const leastPlacesToKeepOne = 3

interface Waiting {
  start(): void
  refuse(reason: unknown): void
}

export class FairQueue {
  readonly #options: FairQueueOptions
  readonly #people = new TurnLines<Waiting>()
  /** Work that nobody waits for. */
  readonly #background = new TurnLines<Waiting>()
  readonly #backgroundPlaces: number
  readonly #held = new Map<string, number>()
  readonly #heldInBackground = new Map<string, number>()
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
    return this.#people.size
  }

  /** The last place is for a caller who has none: nobody finds all of them taken by one other. */
  hasPlaceFor(turn: string): boolean {
    const free = this.#options.places - this.#taken
    if (free !== 1 || this.#options.places < leastPlacesToKeepOne) return free > 0
    return !this.#held.has(turn)
  }

  /** Resolves with a function that gives the place back. Rejects when too many wait, or when the signal says stop. */
  async take(turn: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.hasPlaceFor(turn)) return this.#occupy(turn, false)
    if (this.#people.size >= this.#options.maxWaiting) this.#makeRoom(turn)
    return this.#wait(this.#people, turn, signal)
  }

  /** For work that nobody waits for: others go first, and it never has more than its share of the places. */
  async takeInBackground(turn: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#hasBackgroundPlace(turn)) return this.#occupy(turn, true)
    return this.#wait(this.#background, turn, signal)
  }

  #hasBackgroundPlace(turn: string): boolean {
    const { places, backgroundPerCaller = places } = this.#options
    const isRoom = this.#taken < places && this.#takenInBackground < this.#backgroundPlaces
    return isRoom && this.#people.size === 0 && (this.#heldInBackground.get(turn) ?? 0) < backgroundPerCaller
  }

  #wait(lines: TurnLines<Waiting>, turn: string, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => waiting.refuse(signal.reason)
      const waiting: Waiting = {
        start: () => {
          signal.removeEventListener('abort', leave)
          resolve(this.#occupy(turn, lines === this.#background))
        },
        refuse: (reason) => {
          signal.removeEventListener('abort', leave)
          lines.remove(turn, waiting)
          reject(reason)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      lines.add(turn, waiting)
    })
  }

  /** Whoever fills the queue is refused, not whoever comes with little. */
  #makeRoom(turn: string): void {
    const last = this.#people.lastOfLongest(this.#people.lengthOf(turn) + 1)
    if (last === undefined) throw this.#overloaded()
    last.refuse(this.#overloaded())
  }

  #occupy(turn: string, isBackground: boolean): () => void {
    this.#taken++
    if (isBackground) this.#takenInBackground++
    this.#count(turn, 1, isBackground)
    const since = performance.now()
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#taken--
      if (isBackground) this.#takenInBackground--
      this.#count(turn, -1, isBackground)
      this.#meanHeldMs += (performance.now() - since - this.#meanHeldMs) / 8
      this.#startNext()
    }
  }

  #count(turn: string, change: number, isBackground: boolean): void {
    const held = isBackground ? this.#heldInBackground : this.#held
    const count = (held.get(turn) ?? 0) + change
    if (count === 0) held.delete(turn)
    else held.set(turn, count)
  }

  #startNext(): void {
    if (this.#taken >= this.#options.places) return
    const next = this.#people.next((turn) => this.hasPlaceFor(turn))
    if (next !== undefined) next.start()
    else this.#background.next((turn) => this.#hasBackgroundPlace(turn))?.start()
  }

  #overloaded(): ModelProblem {
    const rounds = (this.#people.size + 1) / this.#options.places
    const retryAfterSeconds = Math.min(60, Math.max(1, Math.ceil((rounds * this.#meanHeldMs) / 1000)))
    return new ModelProblem('The model is busy and too many requests wait for it already.', {
      kind: 'overloaded',
      retryAfterSeconds,
    })
  }
}
