// Keeps the index thread as new as the rows: opens a collection there when it is asked for, brings what was committed
// since, and gives back the memory of those not asked for longest.
import { join } from 'node:path'
import type { Database } from '../db/database.ts'
import type { Log } from '../telemetry/log.ts'
import { bringOwners, bringSample, bringVectors, bringWords, isOfTheseRows, type Tell } from './bring.ts'
import { type DatabaseIndex, IndexLost, type Proposed } from './database-index.ts'
import type { AskedWords, Found, IndexSettings, ShelfState } from './index-protocol.ts'
import { IndexThread } from './index-thread.ts'
import type { CollectionRow } from './rows.ts'

export interface ShelfSettings extends IndexSettings {
  /** Of vectors and indexes in memory; the least recently used ones go when there is more. */
  maxBytes: number
}

export interface ShelvesNeeds {
  db: Database
  log: Log
  /** Where the indexes' files lie. */
  folder: string
  settings: ShelfSettings
  /** Answers for the vectors of large collections in place of the index in memory. */
  database?: DatabaseIndex | undefined
}

interface Shelf {
  key: string
  /** Undefined until it is open. */
  state: ShelfState | undefined
  /** Up to this number the database's index answers for the vectors; 0: it does not. */
  kept: number
  /** Every chunk up to this number is in the index thread, if it still exists; of those kept elsewhere the words alone. */
  brought: number
  /** The number and the count of chunks when it was last asked which owners there are. */
  owned: string
  /** One after the other: the thread gets chunks in the order of their numbers. */
  queue: Promise<void>
  users: number
  usedAt: number
}

/** Removed vectors among those held, before everything is read anew: they cost memory and time. */
export const toleratedRemoved = (chunks: number): number => 1_000 + chunks / 2
const maxTries = 3
/** So many chunks are brought in the time of a few searches. */
const nearlyReady = 2_000

const indexFile = (folder: string, key: string): string => join(folder, `${key}.index`)
const wordFile = (folder: string, key: string): string => join(folder, `${key}.words`)
export const filesOf = (folder: string, key: string): string[] => [indexFile(folder, key), wordFile(folder, key)]

export class Shelves {
  readonly #needs: ShelvesNeeds
  readonly #thread: IndexThread
  /** The longest unused first. */
  readonly #shelves = new Map<string, Shelf>()
  readonly #growing = new Set<string>()
  #closed = false

  constructor(needs: ShelvesNeeds) {
    this.#needs = needs
    this.#thread = new IndexThread(needs.settings, needs.log, () => this.#shelves.clear())
  }

  /** The best chunks by meaning and by words among all up to the collection's `last_number`. */
  search(
    collection: CollectionRow,
    vector: Float32Array | undefined,
    words: AskedWords,
    count: number,
  ): Promise<Found> {
    return this.#use(collection, async (shelf) => {
      const proposed = vector && shelf.kept > 0 ? await this.#proposed(shelf, collection, vector, count) : undefined
      const found = await this.#thread.search({ key: shelf.key, vector, count, words, proposed })
      if (shelf.state) shelf.state.bytes = found.bytes
      return found
    })
  }

  /** To be told after a commit: a large collection's index grows along, so that the next search finds it ready. */
  grown(collection: CollectionRow): void {
    const { settings, log } = this.#needs
    if (this.#closed || collection.chunks < settings.indexFrom || this.#growing.has(collection.key)) return
    this.#growing.add(collection.key)
    this.#use(collection, async () => {})
      .catch((error) => {
        if (!this.#closed) log.warn({ err: error }, 'an index could not grow along; the next search will do it')
      })
      .finally(() => this.#growing.delete(collection.key))
  }

  /** Whether a search would not have to wait for many rows to be read. */
  isNearlyReady(collection: CollectionRow): boolean {
    const shelf = this.#shelves.get(collection.key)
    if (shelf?.state === undefined || !isWorthKeeping(shelf, collection)) return false
    return shelf.brought > 0 && collection.last_number - shelf.brought <= nearlyReady
  }

  /** Those of at least so many chunks. */
  held(chunks: number): { key: string; idleMs: number }[] {
    const now = performance.now()
    const large = [...this.#shelves.values()].filter(({ state }) => (state?.count ?? 0) >= chunks)
    return large.map(({ key, users, usedAt }) => ({ key, idleMs: users > 0 ? 0 : now - usedAt }))
  }

  /** Its memory is given back; the next search opens it again. */
  putAway(key: string): void {
    if (this.#shelves.delete(key)) this.#drop(key, false)
  }

  /** The collection is gone. */
  forget(key: string): void {
    if (this.#shelves.delete(key)) this.#drop(key, true)
    this.#needs.database?.forget(key)
  }

  /** Resolves when all is in the index that belongs there, and in its file. */
  settle(collection: CollectionRow): Promise<ShelfState | undefined> {
    return this.#use(collection, ({ key }) => this.#thread.tell({ kind: 'settle', key }))
  }

  async close(): Promise<void> {
    this.#closed = true
    const queues = [...this.#shelves.values()].map(({ queue }) => queue)
    await this.#thread.close()
    await Promise.all(queues)
  }

  /** When the shelf is lost meanwhile (removed, emptied, the thread ended), again with a new one. */
  async #use<T>(collection: CollectionRow, use: (shelf: Shelf) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const shelf = this.#shelfOf(collection, (await this.#needs.database?.reach(collection)) ?? 0)
      shelf.users++
      shelf.usedAt = performance.now()
      try {
        await this.#bring(shelf, collection)
        const result = await use(shelf)
        if (this.#isCurrent(shelf) || tries === maxTries) return result
      } catch (error) {
        if (this.#isCurrent(shelf) || tries === maxTries || this.#closed) throw error
      } finally {
        shelf.users--
        this.#makeRoom()
      }
    }
  }

  /** A new one where the database's index is lost. The last in the row. */
  #shelfOf({ key }: CollectionRow, reach: number): Shelf {
    const held = this.#shelves.get(key)
    if (held !== undefined && held.kept > 0 && reach === 0) this.putAway(key)
    const shelf = this.#shelves.get(key) ?? newShelf(key, reach)
    this.#shelves.delete(key)
    this.#shelves.set(key, shelf)
    // Others who search now have asked the database before it came so far, unless they ask the index in memory.
    const isAlone = shelf.users === 0 || shelf.kept === 0
    if (isAlone && reach - shelf.kept >= this.#needs.settings.indexFrom) this.#trim(shelf, reach)
    return shelf
  }

  /** Gives back what the database's index answers for. */
  #trim(shelf: Shelf, upTo: number): void {
    const isFirst = shelf.kept === 0
    shelf.kept = upTo
    shelf.queue = shelf.queue
      .then(() => {
        if (shelf.state === undefined) return undefined
        // What comes after is read again: the index in memory that goes may hold it already.
        if (isFirst) shelf.brought = Math.min(shelf.brought, upTo)
        return this.#tellOf(shelf)({ kind: 'trim', key: shelf.key, upTo })
      })
      .then(() => undefined)
      .catch(() => undefined) // the shelf is lost
  }

  async #proposed(shelf: Shelf, collection: CollectionRow, vector: Float32Array, count: number): Promise<Proposed> {
    const { database } = this.#needs
    try {
      if (database === undefined) throw new IndexLost('there is no index in the database')
      return await database.nearest(collection, vector, count)
    } catch (error) {
      if (error instanceof IndexLost && this.#isCurrent(shelf)) this.putAway(shelf.key)
      throw error
    }
  }

  #isCurrent(shelf: Shelf): boolean {
    return this.#shelves.get(shelf.key) === shelf
  }

  async #bring(shelf: Shelf, collection: CollectionRow): Promise<void> {
    if (isReady(shelf, collection)) return
    const turn = shelf.queue.then(() => this.#bringNow(shelf, collection))
    shelf.queue = turn.catch(() => {})
    await turn
  }

  async #bringNow(shelf: Shelf, collection: CollectionRow): Promise<void> {
    this.#refuseLost(shelf)
    if (isReady(shelf, collection)) return
    if (!shelf.state) await this.#open(shelf, collection)
    if (!isWorthKeeping(shelf, collection)) {
      this.#shelves.delete(shelf.key)
      await this.#thread.tell({ kind: 'drop', key: shelf.key, removeFile: true })
      this.#refuseLost(shelf)
    }
    const { queries } = this.#needs.db
    const bringing = { queries, collection, tell: this.#tellOf(shelf) }
    await bringVectors(bringing, Math.max(shelf.state?.last ?? 0, shelf.kept))
    await bringWords(bringing, shelf.state?.words.last ?? 0)
    shelf.brought = Math.max(shelf.brought, collection.last_number)
    if (!isOwned(shelf, collection)) {
      await bringOwners(bringing)
      shelf.owned = ownedAs(collection)
    }
  }

  /** Another shelf may have the key by now: what is meant for this one must not get there. */
  #refuseLost(shelf: Shelf): void {
    if (!this.#isCurrent(shelf)) throw new Error('the vectors of the collection were put away')
  }

  async #open(shelf: Shelf, collection: CollectionRow): Promise<void> {
    const { queries } = this.#needs.db
    const { key, dimensions } = collection
    const [file, wordFile] = filesOf(this.#needs.folder, key) as [string, string]
    const request = { kind: 'open', key, dimensions, file, wordFile, isElsewhere: shelf.kept > 0 } as const
    const tell = this.#tellOf(shelf)
    let state = await tell(request)
    try {
      if (!(await isOfTheseRows(queries, state, collection))) {
        await this.#thread.tell({ kind: 'drop', key, removeFile: true })
        state = await tell(request)
      }
      const last = Math.max(state.last, shelf.kept)
      if (last > 0) await bringSample({ queries, collection, tell }, last)
    } catch (error) {
      // Nobody knows yet whether it is good.
      shelf.state = undefined
      throw error
    }
    shelf.brought = Math.min(Math.max(state.last, shelf.kept), state.words.last)
  }

  /** The state that is answered is the shelf's. */
  #tellOf(shelf: Shelf): Tell {
    return async (request) => {
      if (this.#closed) throw new Error('the vectors are closed')
      this.#refuseLost(shelf)
      const state = await this.#thread.tell(request)
      if (!state) throw new Error('the index thread told no state')
      this.#refuseLost(shelf)
      shelf.state = state
      return state
    }
  }

  #makeRoom(): void {
    const shelves = [...this.#shelves.values()]
    let bytes = shelves.reduce((sum, { state }) => sum + (state?.bytes ?? 0), 0)
    // The one used last stays, however large: it will be asked for again.
    for (const shelf of shelves.slice(0, -1)) {
      if (bytes <= this.#needs.settings.maxBytes) return
      if (shelf.users > 0) continue
      bytes -= shelf.state?.bytes ?? 0
      this.#shelves.delete(shelf.key)
      this.#drop(shelf.key, false)
    }
  }

  #drop(key: string, removeFile: boolean): void {
    this.#thread.tell({ kind: 'drop', key, removeFile }).catch((error) => {
      if (!this.#closed) this.#needs.log.warn({ err: error }, 'an index could not be put away')
    })
  }
}

const newShelf = (key: string, kept: number): Shelf => ({
  key,
  kept,
  state: undefined,
  brought: 0,
  owned: '',
  queue: Promise.resolve(),
  users: 0,
  usedAt: performance.now(),
})

/** A search may carry an older collection row than one that came before. */
const isReady = (shelf: Shelf, collection: CollectionRow): boolean =>
  shelf.state !== undefined &&
  shelf.brought >= collection.last_number &&
  isWorthKeeping(shelf, collection) &&
  isOwned(shelf, collection)

const isWorthKeeping = ({ state }: Shelf, { chunks }: CollectionRow): boolean =>
  (state?.count ?? 0) - chunks <= toleratedRemoved(chunks)

const ownedAs = ({ last_number, chunks }: CollectionRow): string => `${last_number} ${chunks}`

/** Whether the thread knows which chunks were removed: it holds as many as there are, or was told for just this row. */
const isOwned = ({ state, owned }: Shelf, collection: CollectionRow): boolean =>
  state?.words.count === collection.chunks || owned === ownedAs(collection)
