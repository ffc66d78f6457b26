// Those who wait for a reading process: whose files hold the fewest comes first, then whose turn was longest ago.
import type { Lease, Taker } from './lease.ts'

export interface Waiter extends PromiseWithResolvers<Lease> {
  taker: Taker
}

export class Waiters {
  /** By whose they are, in the order of their next turn; each with its own in the order they came. */
  readonly #lines = new Map<string, Set<Waiter>>()

  add(taker: Taker): Waiter {
    const waiter = { taker, ...Promise.withResolvers<Lease>() }
    const line = this.#lines.get(taker.turn)
    if (line) line.add(waiter)
    else this.#lines.set(taker.turn, new Set([waiter]))
    return waiter
  }

  /** Undefined: all who wait hold as many as they may. */
  next(heldBy: (turn: string) => number, maxHeld: number): Waiter | undefined {
    let fewest = maxHeld
    let next: Waiter | undefined
    for (const [turn, [first]] of this.#lines) {
      const held = heldBy(turn)
      if (held >= fewest) continue
      fewest = held
      next = first
    }
    return next
  }

  serve(waiter: Waiter, lease: Lease): void {
    const { turn } = waiter.taker
    this.#remove(waiter)
    const line = this.#lines.get(turn)
    if (line !== undefined) {
      this.#lines.delete(turn)
      this.#lines.set(turn, line)
    }
    waiter.resolve(lease)
  }

  leave(waiter: Waiter, reason: unknown): void {
    if (this.#remove(waiter)) waiter.reject(reason)
  }

  refuseAll(reason: unknown): void {
    for (const line of this.#lines.values()) for (const waiter of line) waiter.reject(reason)
    this.#lines.clear()
  }

  #remove(waiter: Waiter): boolean {
    const { turn } = waiter.taker
    const line = this.#lines.get(turn)
    const isRemoved = line?.delete(waiter) ?? false
    if (line?.size === 0) this.#lines.delete(turn)
    return isRemoved
  }
}
