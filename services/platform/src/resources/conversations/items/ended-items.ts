// Items of responses that have ended, as they were read last: they never change, and each turn of a chain builds on all
// that went before. Whether a response is still there is for the database to say.
import type { KeptItem } from './kept-item.ts'

interface Kept {
  items: readonly KeptItem[]
  letters: number
}

export class EndedItems {
  readonly #maxLetters: number
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>()
  #letters = 0

  constructor(maxLetters: number) {
    this.#maxLetters = maxLetters
  }

  get(responseId: string): readonly KeptItem[] | undefined {
    const found = this.#kept.get(responseId)
    if (found === undefined) return undefined
    this.#kept.delete(responseId)
    this.#kept.set(responseId, found)
    return found.items
  }

  set(responseId: string, items: readonly KeptItem[], letters: number): void {
    // One that takes much of the room would push out all others.
    if (letters > this.#maxLetters / 8) return
    this.#forget(responseId)
    this.#kept.set(responseId, { items, letters })
    this.#letters += letters
    for (const oldest of this.#kept.keys()) {
      if (this.#letters <= this.#maxLetters) return
      this.#forget(oldest)
    }
  }

  #forget(responseId: string): void {
    this.#letters -= this.#kept.get(responseId)?.letters ?? 0
    this.#kept.delete(responseId)
  }
}
