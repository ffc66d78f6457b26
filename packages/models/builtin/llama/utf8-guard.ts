// Keeps answers under a grammar valid UTF-8. The grammar looks at characters only, and would let a token end in half
// a character that the next one does not complete. So tokens that cannot follow are banned, step by step.
import type { Vocabulary } from './vocabulary.ts'

/** States of reading UTF-8: between characters, or so far into one. */
const between = 0
const [one, two, three, afterE0, afterEd, afterF0, afterF4] = [1, 2, 3, 4, 5, 6, 7]
const broken = -1

interface Lead {
  from: number
  to: number
  next: number
}

const leads: Lead[] = [
  { from: 0x00, to: 0x7f, next: between },
  { from: 0xc2, to: 0xdf, next: one },
  { from: 0xe0, to: 0xe0, next: afterE0 },
  { from: 0xe1, to: 0xec, next: two },
  { from: 0xed, to: 0xed, next: afterEd },
  { from: 0xee, to: 0xef, next: two },
  { from: 0xf0, to: 0xf0, next: afterF0 },
  { from: 0xf1, to: 0xf3, next: three },
  { from: 0xf4, to: 0xf4, next: afterF4 },
]

/** What may come in the middle of a character, and where it leads. */
const inside: Record<number, Lead> = {
  [one]: { from: 0x80, to: 0xbf, next: between },
  [two]: { from: 0x80, to: 0xbf, next: one },
  [three]: { from: 0x80, to: 0xbf, next: two },
  [afterE0]: { from: 0xa0, to: 0xbf, next: one },
  [afterEd]: { from: 0x80, to: 0x9f, next: one },
  [afterF0]: { from: 0x90, to: 0xbf, next: two },
  [afterF4]: { from: 0x80, to: 0x8f, next: two },
}

export class Utf8Guard {
  static readonly start = between
  readonly #vocabulary: Vocabulary
  readonly #banned = new Map<string, Uint32Array>()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  next(state: number, token: number, withControl: boolean): number {
    return follow(state, this.#vocabulary.bytesOf(token, withControl))
  }

  /** Tokens that cannot come next. Those that end the answer are the grammar's to judge. */
  banned(state: number, withControl: boolean): Uint32Array {
    const key = `${state} ${withControl}`
    const known = this.#banned.get(key)
    if (known !== undefined) return known
    const list: number[] = []
    for (let token = 0; token < this.#vocabulary.size; token++) {
      if (this.#vocabulary.isEnd(token)) continue
      const bytes = this.#vocabulary.bytesOf(token, withControl)
      // A token without text would count for the grammar and be missing in the answer.
      if (bytes.length === 0 || follow(state, bytes) === broken) list.push(token)
    }
    const banned = Uint32Array.from(list)
    this.#banned.set(key, banned)
    return banned
  }
}

const byteCount = 256
const stateCount = 8

/** Where each byte leads from each state: a vocabulary has a hundred thousand tokens and more to be looked at. */
const nextStates = Int8Array.from({ length: stateCount * byteCount }, (_, place) => {
  const [state, byte] = [Math.floor(place / byteCount), place % byteCount]
  const step = state === between ? leads.find(({ from, to }) => byte >= from && byte <= to) : inside[state]
  return step === undefined || byte < step.from || byte > step.to ? broken : step.next
})

function follow(from: number, bytes: Uint8Array): number {
  let state = from
  for (let at = 0; at < bytes.length && state !== broken; at++) {
    state = nextStates[state * byteCount + (bytes[at] ?? 0)] ?? broken
  }
  return state
}
