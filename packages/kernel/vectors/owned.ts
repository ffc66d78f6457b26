// Candidates among the chunks of some owners: every one is compared, a page of rows at a time.
import { setImmediate as turn } from 'node:timers/promises'
import type { Queries } from '../db/database.ts'
import type { Candidate } from './fuse.ts'
import { type StoredVector, selectOwned } from './rows.ts'

/** A millisecond or two of this thread's time. */
const rowsPerPage = 128

/** Those nearest by meaning, those best by words, and those that alone hold a word. */
export async function nearestOfOwners(
  queries: Queries,
  owners: readonly number[],
  count: number,
  candidateOf: (row: StoredVector) => Candidate,
): Promise<Candidate[]> {
  const near = new Best(count, ({ cosine }) => cosine)
  const worded = new Best(count, ({ words }) => words)
  const named: Candidate[] = []
  for (const owner of owners) {
    for (let after = -1, more = true; more; ) {
      const page = await selectOwned(queries, owner, after, rowsPerPage)
      for (const row of page) {
        const candidate = candidateOf(row)
        near.offer(candidate)
        if (candidate.words > 0) worded.offer(candidate)
        if (candidate.isNamed) named.push(candidate)
      }
      after = page.at(-1)?.ordinal ?? after
      more = page.length === rowsPerPage
      if (more) await turn()
    }
  }
  const all = [...near.list, ...worded.list, ...named]
  return [...new Map(all.map((candidate) => [candidate.id, candidate])).values()]
}

/** Keeps the `count` greatest by `measure`. */
class Best {
  readonly #count: number
  readonly #measure: (candidate: Candidate) => number
  #list: Candidate[] = []

  constructor(count: number, measure: (candidate: Candidate) => number) {
    this.#count = count
    this.#measure = measure
  }

  get list(): readonly Candidate[] {
    this.#trim()
    return this.#list
  }

  /** Sorted now and then, not with every offer. */
  offer(candidate: Candidate): void {
    this.#list.push(candidate)
    if (this.#list.length >= this.#count * 4) this.#trim()
  }

  #trim(): void {
    this.#list.sort((a, b) => this.#measure(b) - this.#measure(a))
    this.#list = this.#list.slice(0, this.#count)
  }
}
