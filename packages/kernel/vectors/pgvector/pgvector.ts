// Large collections are searched by pgvector where PostgreSQL has it. Its tables are kept up aside, by whichever node
// finds one behind; what they lack is compared in memory, and while they lack all, so is everything.
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Figure } from '../../telemetry/metrics.ts'
import { type DatabaseIndex, IndexLost, type Proposed } from '../database-index.ts'
import { type CollectionRow, selectKeys } from '../rows.ts'
import { build } from './build.ts'
import { findPgvector, type PgvectorPlace } from './extension.ts'
import { dropTable, maxDimensions, NearTable, type TableState, tableKeys } from './near-table.ts'

/** Between two attempts to bring a table up, which another node may be doing. */
const againMs = 5_000
const afterFailureMs = 60_000
/** Undefined: a table, a type, an operator or a schema. */
const goneCodes: readonly unknown[] = ['42P01', '42704', '42883', '3F000']

interface Needs {
  db: Database
  /** Of the database: what takes long has a connection of its own. */
  url: string
  log: Log
  /** Smaller collections get no index. */
  indexFrom: number
  toleratedRemoved(chunks: number): number
}

interface Known extends TableState {
  notBefore: number
}

const nothing = { last: 0, rows: 0, isIndexed: false }

export class Pgvector implements DatabaseIndex {
  readonly #needs: Needs
  readonly #known = new Map<string, Known>()
  readonly #building = new Set<string>()
  #found: ReturnType<typeof findPgvector> | undefined
  /** One after the other: each takes a core of the database's machine. */
  #turn: Promise<void> = Promise.resolve()
  #cleaning: Promise<void> = Promise.resolve()
  #isClosed = false
  /** Of the database's process that builds now. */
  #builder: number | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async reach(collection: CollectionRow): Promise<number> {
    const { indexFrom } = this.#needs
    if (collection.chunks < indexFrom || collection.dimensions > maxDimensions) return 0
    const place = await this.#place()
    if (place === undefined) return 0
    const known = this.#known.get(collection.key) ?? (await this.#look(collection, place))
    if (this.#isBehind(known, collection)) this.#keepUp(collection, place)
    return known.isIndexed ? known.last : 0
  }

  async nearest(collection: CollectionRow, vector: Float32Array, count: number): Promise<Proposed> {
    const place = await this.#place()
    try {
      if (place === undefined) throw new IndexLost('pgvector is not there any more')
      return await new NearTable(place, collection).nearest(this.#needs.db.queries, vector, count)
    } catch (error) {
      if (!goneCodes.includes((error as { code?: unknown }).code)) throw error
      this.#known.delete(collection.key)
      throw new IndexLost('the index in the database is gone', { cause: error })
    }
  }

  forget(key: string): void {
    this.#known.delete(key)
    this.#clean(async (place) => dropTable(this.#needs.db.queries, place, key))
  }

  /** Says whether it is used, and drops what was left behind. */
  start(): void {
    const { db, log } = this.#needs
    this.#clean(async (place) => {
      log.debug({ version: place.version }, 'Large collections are searched by pgvector')
      // In this order: whoever has a table now had a collection before.
      const keys = await tableKeys(db.queries, place)
      const known = new Set(await selectKeys(db.queries))
      for (const key of keys) if (!known.has(key)) await dropTable(db.queries, place, key)
    })
  }

  /** Resolves when the tables are as they are to be. */
  async settle(collection: CollectionRow): Promise<void> {
    await this.reach(collection)
    await this.#turn
    await this.#cleaning
  }

  /** The collections that this node has asked for, by whether pgvector answers for them. */
  figures(): Figure[] {
    const known = [...this.#known.values()]
    const ready = known.filter(({ isIndexed }) => isIndexed).length
    return [
      { labels: { state: 'ready' }, value: ready },
      { labels: { state: 'building' }, value: known.length - ready },
    ]
  }

  async close(): Promise<void> {
    this.#isClosed = true
    // An index may take minutes; what is there of it is begun anew.
    const cancel = sql`select pg_cancel_backend(${this.#builder})`
    if (this.#builder !== undefined) await cancel.execute(this.#needs.db.queries).catch(() => undefined)
    await this.#turn
    await this.#cleaning
  }

  async #place(): Promise<PgvectorPlace | undefined> {
    this.#found ??= findPgvector(this.#needs.db.queries)
    try {
      const found = await this.#found
      return 'reason' in found ? undefined : found
    } catch (error) {
      this.#found = undefined
      throw error
    }
  }

  async #look(collection: CollectionRow, place: PgvectorPlace): Promise<Known> {
    const state = await new NearTable(place, collection).state(this.#needs.db.queries)
    const known = { ...(state ?? nothing), notBefore: 0 }
    this.#known.set(collection.key, known)
    return known
  }

  #isBehind({ last, rows, isIndexed, notBefore }: Known, { last_number, chunks }: CollectionRow): boolean {
    const { indexFrom, toleratedRemoved } = this.#needs
    const isStale = rows - chunks > toleratedRemoved(chunks)
    return (!isIndexed || last_number - last >= indexFrom || isStale) && performance.now() >= notBefore
  }

  #keepUp(collection: CollectionRow, place: PgvectorPlace): void {
    const { key } = collection
    if (this.#isClosed || this.#building.has(key)) return
    this.#building.add(key)
    this.#turn = this.#turn
      .then(() => this.#build(collection, place))
      .catch((error: unknown) => this.#postpone(key, afterFailureMs, error))
      .finally(() => this.#building.delete(key))
  }

  async #build(collection: CollectionRow, place: PgvectorPlace): Promise<void> {
    const { url, log, toleratedRemoved } = this.#needs
    const table = new NearTable(place, collection)
    const isStopped = () => this.#isClosed || !this.#known.has(collection.key)
    if (isStopped()) return
    const began = (processId: number) => {
      this.#builder = processId
    }
    const building = { url, log, collection, table, toleratedRemoved, isStopped, began }
    const built = await build(building).finally(() => {
      this.#builder = undefined
    })
    const state = built ?? (await table.state(this.#needs.db.queries)) ?? nothing
    if (!isStopped()) this.#known.set(collection.key, { ...state, notBefore: performance.now() + againMs })
  }

  #postpone(key: string, ms: number, error: unknown): void {
    const known = this.#known.get(key)
    if (known === undefined || this.#isClosed) return
    known.notBefore = performance.now() + ms
    this.#needs.log.warn({ err: error }, 'an index in the database could not be brought up; it will be tried again')
  }

  #clean(work: (place: PgvectorPlace) => Promise<void>): void {
    const { log } = this.#needs
    this.#cleaning = this.#cleaning
      .then(async () => {
        const place = await this.#place()
        if (place !== undefined) await work(place)
      })
      .catch((error: unknown) =>
        log.warn({ err: error }, 'indexes of removed collections could not be dropped; the next start does it'),
      )
  }
}
