// Vector stores of a project: files that are searched by meaning and by words.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import { together } from '@atoll/kernel/db/together'
import type { Events } from '@atoll/kernel/events/events'
import type { Ids } from '@atoll/kernel/ids/ids'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { ProjectCaller } from '../../callers.ts'
import { type ListEnvelope, listPage } from '../../conventions/lists.ts'
import { vectorStoreErrors } from '../../errors/vector-stores.ts'
import type { Editions } from './editions.ts'
import type { EmbeddingChoice } from './embedder.ts'
import { isExpired } from './expiry.ts'
import { type AttachEntry, type Attachments, type AttachOptions, type StoreUse, toCounts } from './files/attachments.ts'
import type { Ingestion } from './ingestion/ingestion.ts'
import { waitForFiles } from './readiness.ts'
import type { CreateVectorStore, UpdateVectorStore, VectorStoreObject } from './schema.ts'
import type { FoundPassage, Search, SearchOptions } from './search.ts'
import * as store from './store.ts'

const daySeconds = 24 * 3600
/** Being used is written down so often at most. */
const activeEverySeconds = 60

interface Parts {
  db: Database
  events: Events
  ids: Ids
  clock: Clock
  attachments: Attachments
  ingestion: Ingestion
  search: Search
  editions: Editions
  /** For stores that are made from now on. */
  embedding: EmbeddingChoice
}

/** How long to wait, and for how long at most. */
export interface WaitOptions {
  signal: AbortSignal
  timeoutMs: number
}

export class VectorStores {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  create(caller: ProjectCaller, body: CreateVectorStore): Promise<VectorStoreObject> {
    return this.#parts.db.transaction((tx) => this.createIn(tx, caller, body))
  }

  async createIn(tx: Tx, caller: ProjectCaller, body: CreateVectorStore): Promise<VectorStoreObject> {
    const row = this.#newRow(caller, body)
    const { file_ids: ids = [], chunking_strategy: chunking } = body
    const entries = ids.map((fileId) => ({ fileId, chunking }))
    const [, files] = await together([
      store.insertStore(tx, row),
      this.#attach(tx, caller, row, entries, { param: 'file_ids' }),
    ])
    const counts = toCounts([{ status: 'in_progress', files }])
    return present(row, { ...nothing, counts }, this.#now())
  }

  async get(caller: ProjectCaller, id: string): Promise<VectorStoreObject> {
    const { queries } = this.#parts.db
    return this.#present(queries, caller, await this.#find(queries, caller, id))
  }

  async list(caller: ProjectCaller, page: PageQuery): Promise<ListEnvelope<VectorStoreObject>> {
    const { db, attachments } = this.#parts
    const find = (query: PageQuery) => store.listStores(db.queries, caller.projectId, query)
    const found = await listPage(page, find, (row) => row)
    const useOf = await attachments.useOf(
      db.queries,
      found.data.map(({ id }) => id),
    )
    const data = found.data.map(async (row) => present(row, await this.#useOf(caller, row, useOf), this.#now()))
    return { ...found, data: await Promise.all(data) }
  }

  update(caller: ProjectCaller, id: string, body: UpdateVectorStore): Promise<VectorStoreObject> {
    return this.#parts.db.transaction(async (tx) => {
      const row = await this.#findLive(tx, caller, id)
      const days = body.expires_after === undefined ? row.expires_after_days : (body.expires_after?.days ?? null)
      const change = {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.metadata === undefined ? {} : { metadata: JSON.stringify(body.metadata ?? {}) }),
        ...this.#active(days),
      }
      return this.#present(tx, caller, (await store.changeStore(tx, id, change)) ?? row)
    })
  }

  /** Its files stay; what was made of them goes. */
  delete(caller: ProjectCaller, id: string): Promise<void> {
    return this.#parts.db.transaction((tx) => this.deleteIn(tx, caller, id))
  }

  async deleteIn(tx: Tx, caller: ProjectCaller, id: string): Promise<void> {
    await this.#find(tx, caller, id)
    await store.deleteStore(tx, id)
    await this.#parts.attachments.removeAllIn(tx, id)
  }

  /** Throws when there is none. */
  async checkExists(caller: ProjectCaller, id: string, queries: Queries = this.#parts.db.queries): Promise<void> {
    await this.#find(queries, caller, id)
  }

  /** Throws when there is none, or when it has expired. */
  async checkLive(caller: ProjectCaller, id: string): Promise<void> {
    await this.#findLive(this.#parts.db.queries, caller, id)
  }

  /** Whether it has expired, and all that was in it with it. Throws when there is no such store. */
  async hasExpired(caller: ProjectCaller, id: string): Promise<boolean> {
    return isExpired(await this.#find(this.#parts.db.queries, caller, id), this.#now())
  }

  /** Whether it is there and has not expired. */
  async isLive(caller: ProjectCaller, id: string, queries: Queries = this.#parts.db.queries): Promise<boolean> {
    const row = await store.findStore(queries, caller.projectId, id)
    return row !== undefined && !isExpired(row, this.#now())
  }

  /** When each of these files was added to the store, by its id; a store that is gone has none. */
  async attachedAt(caller: ProjectCaller, storeId: string, fileIds: readonly string[]): Promise<Map<string, number>> {
    if (!(await this.isLive(caller, storeId))) return new Map()
    return this.#parts.attachments.attachedAt(storeId, fileIds)
  }

  /** Takes files out of a store; those that are not in it are passed by. */
  async detachFilesIn(tx: Tx, caller: ProjectCaller, storeId: string, fileIds: readonly string[]): Promise<void> {
    await this.#find(tx, caller, storeId)
    await this.#parts.attachments.detachIn(tx, storeId, fileIds)
  }

  /** Adds files to a store that has not expired. */
  async attachFilesIn(
    tx: Tx,
    caller: ProjectCaller,
    storeId: string,
    entries: readonly AttachEntry[],
    options: AttachOptions = { param: 'file_ids' },
  ): Promise<void> {
    const row = await this.#findLive(tx, caller, storeId)
    await together([
      store.changeStore(tx, storeId, this.#active(row.expires_after_days)),
      this.#attach(tx, caller, row, entries, options),
    ])
  }

  /** Resolves to true once no file of these stores is in progress; to false when that takes too long. */
  async waitUntilReady(caller: ProjectCaller, storeIds: readonly string[], options: WaitOptions): Promise<boolean> {
    const { db, events, attachments } = this.#parts
    for (const id of storeIds) await this.#find(db.queries, caller, id)
    const isReady = async (): Promise<boolean> => {
      const useOf = await attachments.useOf(db.queries, storeIds)
      return storeIds.every((id) => useOf(id).counts.in_progress === 0)
    }
    return waitForFiles(events, storeIds, isReady, options)
  }

  /** Best first. Throws when one of the stores has expired. */
  async search(caller: ProjectCaller, storeIds: readonly string[], options: SearchOptions): Promise<FoundPassage[]> {
    const { db, attachments, search } = this.#parts
    const rows = await Promise.all(storeIds.map((id) => this.#findLive(db.queries, caller, id)))
    const filled = await attachments.filled(storeIds)
    // Nothing is embedded for the sake of stores that have nothing.
    const searched = rows.filter(({ id }) => filled.has(id))
    const found = await search.search(caller, searched, options)
    await Promise.all(rows.map((row) => this.#markActive(row)))
    return found
  }

  /** How many are worked on from now on. */
  async #attach(
    tx: Tx,
    caller: ProjectCaller,
    row: store.VectorStoreRow,
    entries: readonly AttachEntry[],
    options: AttachOptions,
  ): Promise<number> {
    if (entries.length === 0) return 0
    const begun = await this.#parts.attachments.attachIn(tx, caller, row.id, entries, options)
    await this.#parts.ingestion.startIn(tx, caller.projectId, begun, row)
    return begun.length
  }

  async #markActive(row: store.VectorStoreRow): Promise<void> {
    if (this.#now() < row.last_active_at + activeEverySeconds) return
    await store.changeStore(this.#parts.db.queries, row.id, this.#active(row.expires_after_days))
  }

  async #find(queries: Database['queries'], caller: ProjectCaller, id: string): Promise<store.VectorStoreRow> {
    const row = await store.findStore(queries, caller.projectId, id)
    if (row === undefined) throw vectorStoreErrors.noSuchStore(id)
    return row
  }

  async #findLive(queries: Database['queries'], caller: ProjectCaller, id: string): Promise<store.VectorStoreRow> {
    const row = await this.#find(queries, caller, id)
    if (isExpired(row, this.#now())) throw vectorStoreErrors.expired(id)
    return row
  }

  async #present(
    queries: Database['queries'],
    caller: ProjectCaller,
    row: store.VectorStoreRow,
  ): Promise<VectorStoreObject> {
    const useOf = await this.#parts.attachments.useOf(queries, [row.id])
    return present(row, await this.#useOf(caller, row, useOf), this.#now())
  }

  async #useOf(
    caller: ProjectCaller,
    row: store.VectorStoreRow,
    useOf: (storeId: string) => StoreUse,
  ): Promise<PresentedUse> {
    const use = useOf(row.id)
    // One that has nothing is of whatever model comes first.
    return { ...use, isCurrent: use.usageBytes === 0 || (await this.#parts.editions.isCurrent(caller, row)) }
  }

  #active(days: number | null) {
    const now = this.#now()
    return {
      last_active_at: now,
      expires_after_days: days,
      expires_at: days === null ? null : now + days * daySeconds,
    }
  }

  #newRow(caller: ProjectCaller, body: CreateVectorStore): store.VectorStoreRow {
    const { name, description, expires_after, metadata } = body
    const { model, dimensions } = this.#parts.embedding
    return {
      ...newObject(this.#parts, 'vs_'),
      project_id: caller.projectId,
      name: name ?? null,
      description: description ?? null,
      metadata: JSON.stringify(metadata ?? {}),
      model,
      dimensions,
      ...{ edition: null, upgrade: null },
      ...this.#active(expires_after?.days ?? null),
      expired: 0,
    }
  }

  #now(): number {
    return unixSeconds(this.#parts.clock)
  }
}

interface PresentedUse extends StoreUse {
  /** Whether its vectors are of the model that embeds now. */
  isCurrent: boolean
}

const nothing: PresentedUse = {
  counts: { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
  usageBytes: 0,
  isCurrent: true,
}

function present(row: store.VectorStoreRow, use: PresentedUse, now: number): VectorStoreObject {
  const expired = isExpired(row, now)
  const { counts, usageBytes, isCurrent } = expired ? nothing : use
  return {
    id: row.id,
    object: 'vector_store',
    created_at: row.created_at,
    name: row.name ?? '',
    description: row.description,
    usage_bytes: usageBytes,
    bytes: usageBytes,
    file_counts: counts,
    status: expired ? 'expired' : counts.in_progress > 0 ? 'in_progress' : 'completed',
    ...(row.expires_after_days === null
      ? {}
      : { expires_after: { anchor: 'last_active_at' as const, days: row.expires_after_days } }),
    expires_at: row.expires_at,
    last_active_at: row.last_active_at,
    last_used_at: row.last_active_at,
    metadata: JSON.parse(row.metadata),
    embedding: { model: row.model, edition: row.edition, is_current: isCurrent },
  }
}
