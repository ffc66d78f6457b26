// Work on a server that is killed again and again: so much at a time, and how far it is.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '../../../../testing/wait-until.ts'
import type { KilledServer } from './killed-server.ts'

const atOnce = 6
const firstLifeMs = 1_500
/** What was interrupted five times is given up. */
const mostKillsOfOne = 4
/** A hundred kills go on for long, and the machine may have other work meanwhile. */
export const patienceMs = process.env.ATOLL_TEST_LONG === '1' ? 600_000 : 120_000

interface Rounds {
  kills: number
  /** From when the next one has ended. */
  longestLifeMs: number
}

export class KilledWork<Ended> {
  readonly #server: KilledServer
  readonly #count: number
  readonly #workToEnd: (at: number) => Promise<Ended>
  /** Those under way, with how many kills have met each. */
  readonly #open = new Map<number, number>()
  readonly ended: Ended[] = []
  #begun = 0
  #endedCount = 0
  /** How often one was under way at a kill. */
  met = 0

  constructor(server: KilledServer, count: number, workToEnd: (at: number) => Promise<Ended>) {
    this.#server = server
    this.#count = count
    this.#workToEnd = workToEnd
  }

  async run({ kills, longestLifeMs }: Rounds): Promise<void> {
    const running = Promise.all(Array.from({ length: atOnce }, () => this.#work()))
    for (let killed = 0; killed < kills; killed++) {
      if (killed > 0) await Promise.race([this.#progress(), running])
      await pause(randomInt(killed === 0 ? firstLifeMs : longestLifeMs))
      await this.#kill()
    }
    await running
  }

  /** Until one more has ended, and until the next kill is not one too many for any. */
  async #progress(): Promise<void> {
    const before = this.#endedCount
    const isOver = (): boolean => this.#endedCount === this.#count
    const isReady = (): boolean =>
      this.#endedCount > before && [...this.#open.values()].every((count) => count < mostKillsOfOne)
    await waitUntil(() => isOver() || isReady(), patienceMs).catch((cause: unknown) => {
      throw new Error(`No progress. ${this.#state()}`, { cause })
    })
  }

  #state(): string {
    const open = [...this.#open].map(([at, kills]) => `${at} (met by ${kills} kills)`)
    return `Ended: ${this.#endedCount} of ${this.#count}; under way: ${open.join(', ')}.`
  }

  async #kill(): Promise<void> {
    await this.#server.kill()
    for (const [at, count] of this.#open) this.#open.set(at, count + 1)
    this.met += this.#open.size
    await this.#server.start()
  }

  async #work(): Promise<void> {
    while (this.#begun < this.#count) {
      const at = this.#begun++
      this.#open.set(at, 0)
      this.ended[at] = await this.#workToEnd(at)
      this.#open.delete(at)
      this.#endedCount++
    }
  }
}
