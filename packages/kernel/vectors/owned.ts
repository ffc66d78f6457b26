// Candidates among the chunks of some owners: every one is compared, a page of rows at a time.
import { setImmediate as turn } from 'node:timers/promises'
import type { Queries } from '../db/database.ts'
import type { Candidate } from './fuse.ts'
import { dot, fromBytes } from './numbers.ts'
import { type CollectionRow, selectOwned, selectOwnerIds } from './rows.ts'

/** A millisecond or two of this thread's time. */
const rowsPerPage = 128

/** Those nearest by meaning, and those that agree most by words. */
export async function nearestOfOwners(
  queries: Queries,
  { id: collection }: CollectionRow,
  owners: readonly string[],
  query: Float32Array,
  count: number,
  agreement: ReadonlyMap<number, number>,
): Promise<Candidate[]> {
  const near = new Best(count, ({ cosine }) => cosine)
  const worded = new Best(count, (candidate) => candidate.agreement)
  for (const owner of await selectOwnerIds(queries, collection, owners)) {
    for (let after = -1, more = true; more; ) {
      const page = await selectOwned(queries, owner, after, rowsPerPage)
      for (const { id, vector } of page) {
        const candidate = { id, cosine: dot(query, fromBytes(vector)), agreement: agreement.get(id) ?? 0 }
        near.offer(candidate)
        if (candidate.agreement > 0) worded.offer(candidate)
      }
      after = page.at(-1)?.ordinal ?? after
      more = page.length === rowsPerPage
      if (more) await turn()
    }
  }
  return [...new Map([...near.list, ...worded.list].map((candidate) => [candidate.id, candidate])).values()]
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
