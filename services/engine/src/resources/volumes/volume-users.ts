// Who uses a volume: containers that have it, and those that are being made with it right now.
import { setTimeout as delay } from 'node:timers/promises'

/** From the moment a new container has its volumes to the moment it is known takes one write to the database. */
const makingMs = 2_000
const lookAgainMs = 25

export class VolumeUsers {
  readonly #now: () => number
  /** By container: since when it is being made, and its volumes. */
  readonly #making = new Map<string, { since: number; names: Set<string> }>()
  #known: (name: string) => readonly string[] = () => []

  constructor(now: () => number) {
    this.#now = now
  }

  knownBy(known: (name: string) => readonly string[]): void {
    this.#known = known
  }

  hold(name: string, containerId: string): void {
    const made = this.#making.get(containerId) ?? { since: this.#now(), names: new Set() }
    made.names.add(name)
    this.#making.set(containerId, made)
  }

  release(containerId: string): void {
    this.#making.delete(containerId)
  }

  of(name: string): readonly string[] {
    return this.#known(name)
  }

  /** Once it is clear what becomes of the containers that are being made with it. */
  async settled(name: string): Promise<readonly string[]> {
    for (;;) {
      const known = this.#known(name)
      if (known.length > 0 || !this.#isBeingUsed(name)) return known
      await delay(lookAgainMs)
    }
  }

  #isBeingUsed(name: string): boolean {
    const oldest = this.#now() - makingMs
    for (const [id, { since, names }] of this.#making) {
      if (since < oldest) this.#making.delete(id)
      else if (names.has(name)) return true
    }
    return false
  }
}
