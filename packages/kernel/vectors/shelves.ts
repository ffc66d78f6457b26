// Keeps the index thread as new as the rows: opens a collection there when it is asked for, brings what was committed
// since, and gives back the memory of those not asked for longest.
import { join } from 'node:path'
import type { Database } from '../db/database.ts'
import type { Log } from '../telemetry/log.ts'
import type { IndexRequest, IndexSettings, Nearest, ShelfState } from './index-protocol.ts'
import { IndexThread } from './index-thread.ts'
import { place, sumOf } from './numbers.ts'
import { type CollectionRow, chunkId, numberOf, type StoredVector, selectVectors, selectVectorsAfter } from './rows.ts'

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
}

interface Shelf {
  key: string
  /** Undefined until it is open. */
  state: ShelfState | undefined
  /** Every chunk up to this number is in the index thread, if it still exists. */
  brought: number
  /** One after the other: the thread gets chunks in the order of their numbers. */
  queue: Promise<void>
  users: number
}

const bytesPerPage = 256 * 1024
/** Removed vectors among those held, before everything is read anew: they cost memory and time. */
const toleratedRemoved = 1_000
const maxTries = 3

export const indexFile = (folder: string, key: string): string => join(folder, `${key}.index`)

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

  /** The numbers of the chunks nearest to `vector` among all up to the collection's `last_number`. */
  search(collection: CollectionRow, vector: Float32Array, count: number): Promise<Nearest> {
    return this.#use(collection, async (shelf) => {
      const nearest = await this.#thread.search({ key: shelf.key, vector, count })
      if (shelf.state) shelf.state.bytes = nearest.bytes
      return nearest
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

  /** The collection is gone. */
  forget(key: string): void {
    if (this.#shelves.delete(key)) this.#drop(key, true)
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
      const shelf = this.#shelves.get(collection.key) ?? newShelf(collection.key)
      this.#shelves.delete(shelf.key)
      this.#shelves.set(shelf.key, shelf)
      shelf.users++
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
    }
    const rows = Math.max(8, Math.floor(bytesPerPage / (collection.dimensions * 4)))
    while (shelf.brought < collection.last_number) {
      const page = await selectVectorsAfter(this.#needs.db.queries, collection, shelf.brought, rows)
      this.#refuseLost(shelf)
      if (page.length > 0) {
        const request = { kind: 'extend', key: shelf.key, ...pack(page, collection.dimensions) } as const
        shelf.state = await this.#tell(request)
        shelf.brought = shelf.state.last
      }
      if (page.length < rows) shelf.brought = collection.last_number
    }
    this.#refuseLost(shelf)
  }

  /** Another shelf may have the key by now: what is meant for this one must not get there. */
  #refuseLost(shelf: Shelf): void {
    if (!this.#isCurrent(shelf)) throw new Error('the vectors of the collection were put away')
  }

  async #open(shelf: Shelf, collection: CollectionRow): Promise<void> {
    const { key, dimensions } = collection
    const request = { kind: 'open', key, dimensions, file: indexFile(this.#needs.folder, key) } as const
    let state = await this.#tell(request)
    if (!(await this.#isOfTheseRows(state, collection))) {
      await this.#thread.tell({ kind: 'drop', key, removeFile: true })
      state = await this.#tell(request)
    }
    shelf.state = state
    shelf.brought = state.last
  }

  /** A database restored from an older copy has given the same numbers to other chunks, or not yet given them. */
  async #isOfTheseRows({ last, lastVectorSum }: ShelfState, collection: CollectionRow): Promise<boolean> {
    if (last === 0 || lastVectorSum === undefined) return true
    if (last > collection.last_number) return false
    const [row] = await selectVectors(this.#needs.db.queries, [chunkId(collection.id, last)])
    return row === undefined || sumOf(row.vector) === lastVectorSum
  }

  async #tell(request: Exclude<IndexRequest, { kind: 'search' }>): Promise<ShelfState> {
    if (this.#closed) throw new Error('the vectors are closed')
    const state = await this.#thread.tell(request)
    if (!state) throw new Error('the index thread told no state')
    return state
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

const newShelf = (key: string): Shelf => ({ key, state: undefined, brought: 0, queue: Promise.resolve(), users: 0 })

/** A search may carry an older collection row than one that came before. */
const isReady = (shelf: Shelf, collection: CollectionRow): boolean =>
  shelf.state !== undefined && shelf.brought >= collection.last_number && isWorthKeeping(shelf, collection)

const isWorthKeeping = ({ state }: Shelf, { chunks }: CollectionRow): boolean =>
  (state?.count ?? 0) - chunks <= toleratedRemoved + chunks / 2

function pack(page: readonly StoredVector[], dimensions: number): { numbers: Float64Array; vectors: Float32Array } {
  const vectors = new Float32Array(page.length * dimensions)
  for (const [row, { vector }] of page.entries()) place(vector, vectors, row)
  return { numbers: Float64Array.from(page, ({ id }) => numberOf(id)), vectors }
}
