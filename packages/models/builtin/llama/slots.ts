// The places in the context, each with the tokens whose state it still holds: a new prompt that begins like one of
// them does not compute that beginning again.
import type { AddonContext } from './addon.ts'

/** Copying a state to another place pays from about here on. */
const worthCopyingTokens = 64

export class Slot {
  readonly id: number
  /** Computed and kept. */
  tokens: number[] = []
  /** With which adapter they were computed: with another one they mean nothing. */
  adapter: string | undefined
  usedAt = 0
  /** What it will hold once its prompt is computed; empty when nobody uses it. */
  expected: readonly number[] | undefined

  constructor(id: number) {
    this.id = id
  }

  get isFree(): boolean {
    return this.expected === undefined
  }
}

export class Slots {
  readonly #context: AddonContext
  readonly #slots: Slot[]
  #time = 0

  constructor(context: AddonContext, count: number) {
    this.#context = context
    this.#slots = Array.from({ length: count }, (_, id) => new Slot(id))
  }

  /**
   * A place for the prompt, holding as much of its beginning as is known. Undefined: none is free, or one that
   * computes the same beginning right now is worth waiting for.
   */
  async take(prompt: readonly number[], reuse: boolean, adapter: string | undefined): Promise<Slot | undefined> {
    const free = this.#slots.filter((slot) => slot.isFree)
    const oldest = free.reduce<Slot | undefined>((a, b) => (a === undefined || b.usedAt < a.usedAt ? b : a), undefined)
    if (oldest === undefined) return undefined
    const alike = this.#slots.filter((slot) => slot.adapter === adapter)
    const source = reuse ? this.#bestOf(alike, (slot) => slot.tokens, prompt) : undefined
    const known = source?.length ?? 0
    if (reuse && this.#isComputed(alike, prompt, known)) return undefined
    const slot = await this.#settle(oldest, source)
    this.#cut(slot, slot === source?.slot || source?.copied === true ? known : 0)
    slot.expected = prompt
    slot.adapter = adapter
    slot.usedAt = ++this.#time
    return slot
  }

  release(slot: Slot): void {
    slot.expected = undefined
    slot.usedAt = ++this.#time
  }

  /** Its state can no longer be trusted. */
  clear(slot: Slot): void {
    this.#context.disposeSequence(slot.id)
    slot.tokens = []
  }

  async #settle(oldest: Slot, source: Match | undefined): Promise<Slot> {
    if (source === undefined || source.length === 0) return oldest
    const { slot, length } = source
    const takesMost = length * 2 >= slot.tokens.length
    if (slot.isFree && (takesMost || slot === oldest)) return slot
    if (length < worthCopyingTokens) return slot.isFree ? slot : oldest
    this.clear(oldest)
    await this.#context.copySequenceStateFromOtherSequence(oldest.id, slot.id)
    oldest.tokens = [...slot.tokens]
    source.copied = true
    return oldest
  }

  #cut(slot: Slot, length: number): void {
    if (length === slot.tokens.length) return
    if (length > 0 && this.#context.removeTokenCellsFromSequence(slot.id, length, -1)) slot.tokens.length = length
    else this.clear(slot)
  }

  /** Someone computes more of this beginning at the moment. */
  #isComputed(slots: readonly Slot[], prompt: readonly number[], known: number): boolean {
    const busy = slots.filter((slot) => !slot.isFree && slot.tokens.length < (slot.expected?.length ?? 0))
    const coming = this.#bestOf(busy, (slot) => slot.expected ?? [], prompt)
    return coming !== undefined && coming.length - known >= worthCopyingTokens
  }

  #bestOf(
    slots: readonly Slot[],
    tokens: (slot: Slot) => readonly number[],
    prompt: readonly number[],
  ): Match | undefined {
    let best: Match | undefined
    for (const slot of slots) {
      const length = commonLength(tokens(slot), prompt)
      const better = best === undefined || length > best.length || (length === best.length && slot.isFree)
      if (better) best = { slot, length, copied: false }
    }
    return best
  }
}

interface Match {
  slot: Slot
  length: number
  copied: boolean
}

/** The last token of a prompt is always computed: its result is what comes next. */
function commonLength(known: readonly number[], prompt: readonly number[]): number {
  const most = Math.min(known.length, prompt.length - 1)
  let length = 0
  while (length < most && known[length] === prompt[length]) length++
  return length
}
