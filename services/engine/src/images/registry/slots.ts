// Takes turns: a number of places, or one place for each name.
import { RegistryProblem } from './failure.ts'

const maxWaiting = 10_000

/** So many at once; the rest wait in the order they came. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  get areTaken(): boolean {
    return this.#free === 0
  }

  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    return { [Symbol.dispose]: () => this.#give() }
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= maxWaiting) throw new RegistryProblem('UNEXPECTED', 'too many layers are waiting')
    return new Promise((resolve, reject) => {
      const onTurn = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(onTurn), 1)
        reject(signal.reason)
      }
      this.#waiting.push(onTurn)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  #give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}

/** One at a time for each name: two pulls never write the same blob. */
export class NamedLocks {
  readonly #locks = new Map<string, { slots: Slots; users: number }>()

  isTaken(name: string): boolean {
    return this.#locks.has(name)
  }

  async take(name: string, signal: AbortSignal): Promise<Disposable> {
    const lock = this.#locks.get(name) ?? { slots: new Slots(1), users: 0 }
    this.#locks.set(name, lock)
    lock.users++
    const leave = (): void => {
      lock.users--
      if (lock.users === 0) this.#locks.delete(name)
    }
    try {
      const slot = await lock.slots.take(signal)
      return {
        [Symbol.dispose]: () => {
          slot[Symbol.dispose]()
          leave()
        },
      }
    } catch (problem) {
      leave()
      throw problem
    }
  }
}
