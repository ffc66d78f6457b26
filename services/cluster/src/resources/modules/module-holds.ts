// Between the moment when a database asks for a module and the moment when its record says so, nobody deletes it;
// and nobody asks for one that is being deleted.
import * as errors from '../../errors.ts'

export class ModuleHolds {
  readonly #held = new Map<string, number>()
  readonly #going = new Set<string>()

  hold(uid: string): Disposable {
    if (this.#going.has(uid)) throw errors.noSuchModule(uid)
    this.#held.set(uid, (this.#held.get(uid) ?? 0) + 1)
    return once(() => {
      const left = (this.#held.get(uid) ?? 1) - 1
      if (left === 0) this.#held.delete(uid)
      else this.#held.set(uid, left)
    })
  }

  /** To delete it. */
  take(uid: string): Disposable {
    if (this.#going.has(uid)) throw errors.noSuchModule(uid)
    if (this.#held.has(uid)) throw errors.moduleInUse(uid, ['an operation that has just begun'])
    this.#going.add(uid)
    return once(() => this.#going.delete(uid))
  }
}

function once(end: () => void): Disposable {
  let isOver = false
  return {
    [Symbol.dispose]() {
      if (!isOver) end()
      isOver = true
    },
  }
}
