// One kind of work that clients do without pause, and what has to be true of it afterwards.
import { setTimeout as pause } from 'node:timers/promises'
import { NotDone } from '../caller.ts'

const retryMs = 100
/** Between two pieces of work: what is tried are faults, not how much the machine can do. */
const restMs = 50
const mostBroken = 20

export abstract class Load {
  /** Of the report: `files`. */
  abstract readonly name: string
  /** What is promised, in words. */
  abstract readonly promise: string
  readonly #broken: string[] = []
  #isStopped = false
  #working: Promise<void> = Promise.resolve()

  /** How much was acknowledged. */
  abstract get acknowledged(): number

  /** The same in words. */
  abstract summary(): string

  /** One piece of work. Throws NotDone where it was not acknowledged. */
  protected abstract step(): Promise<void>

  /** With all faults over. */
  protected abstract check(): Promise<void>

  start(): void {
    this.#working = this.#work()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#working
  }

  /** Everything that is not as promised, a line each. */
  async verify(): Promise<readonly string[]> {
    if (this.acknowledged === 0) this.broken('nothing was ever acknowledged')
    await this.check().catch((error: unknown) => this.broken(`it could not be checked: ${error}`))
    return this.#broken
  }

  protected get isStopped(): boolean {
    return this.#isStopped
  }

  protected broken(what: string): void {
    if (this.#broken.length < mostBroken) this.#broken.push(what)
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.step()
        await pause(restMs)
      } catch (error) {
        if (!(error instanceof NotDone)) this.broken(error instanceof Error ? (error.stack ?? '') : String(error))
        await pause(retryMs)
      }
    }
  }
}

/** All of a list, however long. */
export async function listAll<T extends { id: string }>(
  page: (query: string) => Promise<{ data: T[]; has_more: boolean }>,
): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const last = all.at(-1)
    const { data, has_more } = await page(`limit=100&order=asc${last === undefined ? '' : `&after=${last.id}`}`)
    all.push(...data)
    if (!has_more || data.length === 0) return all
  }
}
