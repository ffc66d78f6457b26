// Large collections are dealt to the nodes of a group: each is searched where its index is, on one node or two. Whoever
// cannot be asked, or is still reading the rows, is passed over, so there are answers while nodes come and go.
import type { GroupNode, NodeGroup } from '../nodes/group.ts'
import type { Log } from '../telemetry/log.ts'
import type { Figure } from '../telemetry/metrics.ts'
import { askedCollection, askedSearch, askedToHold } from './dealt-protocol.ts'
import type { Found } from './index-protocol.ts'
import type { CollectionRow } from './rows.ts'
import type { Shelves } from './shelves.ts'

/** The first is asked; the second is told to hold the index as well. */
const holders = 2
/** Of those that may have the index: the two, and who was one of them before somebody came. */
const askedAtMost = 3
const answerMs = 5_000
/** How long one that has to read all rows may take, where nobody else has them either. */
const readingMs = 300_000
/** A holder is told that a collection is in use every so often. */
const tellEveryMs = 15_000
/** What does not belong here goes when nobody has asked for it for this long. */
const strayMs = 60_000

interface Needs {
  shelves: Shelves
  group: NodeGroup
  log: Log
  /** Collections of fewer chunks are searched where they are asked for. */
  dealFrom: number
}

type SearchArguments = Parameters<Shelves['search']>

export class DealtShelves implements Pick<Shelves, 'search' | 'grown'> {
  readonly #needs: Needs
  /** By the address of a holder and the key of a collection. */
  readonly #toldAt = new Map<string, number>()
  readonly #telling = new Set<string>()
  readonly #counts = { here: 0, elsewhere: 0, unready: 0 }

  constructor(needs: Needs) {
    this.#needs = needs
    needs.group.answer('vectors.search', (body) => this.#searchFor(body))
    needs.group.answer('vectors.hold', (body) => this.#holdFor(body))
  }

  async search(...search: SearchArguments): Promise<Found> {
    const [collection] = search
    const ranked = this.#ranked(collection)
    for (const node of ranked.slice(0, askedAtMost)) {
      const found = await this.#searchAt(node, search)
      if (found === undefined) continue
      this.#counts[node.isSelf ? 'here' : 'elsewhere']++
      this.#tellHolders(ranked, collection)
      return found
    }
    return this.#searchSlowly(ranked, search)
  }

  /** To be told after a commit: those who hold it grow along. */
  grown(collection: CollectionRow): void {
    const ranked = this.#ranked(collection)
    if (ranked.length === 0) this.#needs.shelves.grown(collection)
    for (const node of ranked.slice(0, holders)) this.#tell(node, collection)
  }

  /** Gives back what belongs to others by now. */
  release(): void {
    const now = performance.now()
    for (const [told, at] of this.#toldAt) if (now - at > tellEveryMs) this.#toldAt.delete(told)
    for (const { key, idleMs } of this.#needs.shelves.held(this.#needs.dealFrom)) {
      const isOwn = this.#needs.group
        .ranked(key)
        .slice(0, holders)
        .some(({ isSelf }) => isSelf)
      if (!isOwn && idleMs > strayMs) this.#needs.shelves.putAway(key)
    }
  }

  /** How many searches were answered where; `unready`: no node had the index. */
  figures(): Figure[] {
    return Object.entries(this.#counts).map(([where, value]) => ({ labels: { where }, value }))
  }

  #ranked(collection: CollectionRow): GroupNode[] {
    const ranked = collection.chunks < this.#needs.dealFrom ? [] : this.#needs.group.ranked(collection.key)
    return ranked.length > 1 ? ranked : []
  }

  /** Undefined: not from this one, now. */
  async #searchAt(node: GroupNode, search: SearchArguments): Promise<Found | undefined> {
    const { shelves } = this.#needs
    const [collection] = search
    if (node.isSelf) return shelves.isNearlyReady(collection) ? shelves.search(...search) : this.#begin(collection)
    return this.#askFor(node, search, false)
  }

  #begin(collection: CollectionRow): undefined {
    this.#needs.shelves.grown(collection)
  }

  /** Nobody has the index: it is waited for where it belongs, or read here. */
  async #searchSlowly(ranked: readonly GroupNode[], search: SearchArguments): Promise<Found> {
    this.#counts[ranked.length === 0 ? 'here' : 'unready']++
    const [first] = ranked
    const found = first === undefined || first.isSelf ? undefined : await this.#askFor(first, search, true)
    return found ?? this.#needs.shelves.search(...search)
  }

  async #askFor(node: GroupNode, search: SearchArguments, isWaiting: boolean): Promise<Found | undefined> {
    const [collection, vector, words, count] = search
    const body = { collection: askedCollection(collection), vector, words, count, isWaiting }
    try {
      const answer = await this.#needs.group.ask(node, 'vectors.search', body, isWaiting ? readingMs : answerMs)
      const found = answer as Found | undefined
      // One of an older version, while the group is upgraded, does not say how near they are.
      return found?.cosines === undefined ? undefined : found
    } catch (error) {
      this.#needs.log.debug({ err: error, node: node.address }, 'A node could not be asked for vectors')
      return undefined
    }
  }

  async #searchFor(body: unknown): Promise<Found | undefined> {
    const { shelves } = this.#needs
    const { collection, vector, words, count, isWaiting } = askedSearch(body)
    if (!isWaiting && !shelves.isNearlyReady(collection)) return this.#begin(collection)
    return shelves.search(collection, vector, words, count)
  }

  async #holdFor(body: unknown): Promise<void> {
    this.#begin(askedToHold(body))
  }

  #tellHolders(ranked: readonly GroupNode[], collection: CollectionRow): void {
    const now = performance.now()
    for (const node of ranked.slice(0, holders)) {
      const told = `${node.address} ${collection.key}`
      if (now - (this.#toldAt.get(told) ?? Number.NEGATIVE_INFINITY) < tellEveryMs) continue
      this.#toldAt.set(told, now)
      this.#tell(node, collection)
    }
  }

  #tell(node: GroupNode, collection: CollectionRow): void {
    if (node.isSelf) {
      this.#begin(collection)
      return
    }
    const { group, log } = this.#needs
    const telling = `${node.address} ${collection.key}`
    if (this.#telling.has(telling)) return
    this.#telling.add(telling)
    const body = { collection: askedCollection(collection) }
    group
      .ask(node, 'vectors.hold', body, answerMs)
      .catch((error: unknown) => {
        log.debug({ err: error, node: node.address }, 'A node could not be told of vectors; the next search does it')
      })
      .finally(() => this.#telling.delete(telling))
  }
}
