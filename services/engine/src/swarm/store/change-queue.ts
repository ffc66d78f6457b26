// Changes of single objects that come faster than the store takes them: those that wait are written together. Of several
// changes of one object only what they lead to is written.
import { changeObject } from './change-object.ts'
import type { Kind, Kinds } from './objects.ts'
import type { SwarmStore, Write } from './swarm-store.ts'
import { fitsAtOnce, maxObjectsAtOnce } from './write-parts.ts'

/** Gives undefined where nothing is to be done. */
type Change<K extends Kind> = (object: Kinds[K]) => Kinds[K] | undefined

interface Waiting<K extends Kind> {
  id: string
  change: Change<K>
  done(): void
  failed(error: Error): void
}

const maxTries = 3

export class ChangeQueue<K extends Kind> {
  readonly #store: Pick<SwarmStore, 'get' | 'commit'>
  readonly #kind: K
  #waiting: Waiting<K>[] = []
  #isWriting = false

  constructor(store: Pick<SwarmStore, 'get' | 'commit'>, kind: K) {
    this.#store = store
    this.#kind = kind
  }

  /** Resolves when it is written, or nothing is to be done. */
  change(id: string, change: Change<K>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, change, done: resolve, failed: reject })
      if (!this.#isWriting) void this.#write()
    })
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      const taken = this.#waiting.splice(0, maxObjectsAtOnce)
      try {
        await this.#writeAll(taken)
        for (const { done } of taken) done()
      } catch (error) {
        for (const { failed } of taken) failed(error as Error)
      }
    }
    this.#isWriting = false
  }

  async #writeAll(taken: readonly Waiting<K>[]): Promise<void> {
    for (let attempt = 0; attempt < maxTries; attempt++) {
      const writes = this.#writesOf(taken)
      if (!fitsAtOnce(writes) && taken.length > 1) return this.#writeHalves(taken)
      if (writes.length === 0 || (await this.#store.commit(writes))) return
    }
    // Somebody changes one of them all the time: the others shall not wait for that.
    for (const { id, change } of taken) await changeObject(this.#store, this.#kind, id, change)
  }

  async #writeHalves(taken: readonly Waiting<K>[]): Promise<void> {
    const middle = Math.ceil(taken.length / 2)
    await this.#writeAll(taken.slice(0, middle))
    await this.#writeAll(taken.slice(middle))
  }

  #writesOf(taken: readonly Waiting<K>[]): Write[] {
    const changed = new Map<string, Kinds[K]>()
    for (const { id, change } of taken) {
      const found = changed.get(id) ?? this.#store.get(this.#kind, id)
      const next = found && change(found)
      if (next !== undefined) changed.set(id, next)
    }
    return [...changed].map(([id, object]) => {
      const index = this.#store.get(this.#kind, id)?.Version.Index ?? 0
      return { kind: this.#kind, object, index }
    })
  }
}
