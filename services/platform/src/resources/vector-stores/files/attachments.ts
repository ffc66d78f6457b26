// Files as parts of vector stores: attached, counted, grown chunk by chunk, given up, removed. Knows no stores, only
// their ids; whoever asks has looked at the store.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import { together } from '@atoll/kernel/db/together'
import type { Events } from '@atoll/kernel/events/events'
import type { Ids } from '@atoll/kernel/ids/ids'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { Jobs } from '@atoll/kernel/jobs/jobs'
import { type DeleteSome, Purge } from '@atoll/kernel/jobs/purge'
import type { VectorChunk, Vectors } from '@atoll/kernel/vectors/vectors'
import type { ProjectCaller } from '../../../callers.ts'
import { vectorStoreErrors } from '../../../errors/vector-stores.ts'
import type { FileObject } from '../../files/schema.ts'
import type { Files } from '../../files/service.ts'
import { type FileCounts, maxStoreFiles } from '../schema.ts'
import { matches } from './attributes/matches.ts'
import type { Attributes, SearchFilter } from './attributes/schema.ts'
import { autoChunking, type ChunkingStrategy, type FileProblem } from './schema.ts'
import * as store from './store.ts'

/** An event of this topic says: look again at the files of that store. */
export const filesTopic = 'vector-store-files'

export interface FilesEvent {
  storeId: string
  /** Work on some of them is to stop. */
  isStop: boolean
}

/** That a deleted file leaves in one commit: each costs some statements. */
const storesAtOnce = 20

/** Looked at by a filter before others have their turn. */
const filesPerPage = 500

/** How long a removed file can be a cursor of its list. */
const cursorSeconds = 24 * 3600

export type Attachment = store.StoreFileRow

interface Parts {
  db: Database
  jobs: Jobs
  events: Events
  vectors: Vectors
  files: Files
  ids: Ids
  clock: Clock
}

/** A file to attach, and how. */
export interface AttachEntry {
  fileId: string
  chunking?: ChunkingStrategy | undefined
  attributes?: Attributes | null | undefined
  /** Where its id stood in the request, if not in a plain list of ids. */
  param?: string
}

export interface AttachOptions {
  batchId?: string | undefined
  /** Where the files stood in the request. */
  param: string
}

/** A file to be worked on. */
export interface BegunFile {
  /** Of the attachment. */
  id: string
  bytes: number
}

export interface DescribedFile {
  fileId: string
  attributes: Attributes
}

export interface StoreUse {
  counts: FileCounts
  usageBytes: number
}

export class Attachments {
  readonly #parts: Parts
  readonly #ofStores: Purge

  constructor(parts: Parts) {
    this.#parts = parts
    const everywhere = new Purge(parts, 'file', storesAtOnce)
    everywhere.add((tx, fileId, limit) => this.#removeFromSome(tx, fileId, limit))
    parts.files.onDelete((tx, fileId) => everywhere.purgeIn(tx, fileId))
    this.#ofStores = new Purge(parts, 'vector-store').add(store.deleteFilesOf)
  }

  /** Those that are new, or are begun again; one that is there already, or on its way, gets the attributes at most. */
  async attachIn(
    tx: Tx,
    caller: ProjectCaller,
    storeId: string,
    entries: readonly AttachEntry[],
    options: AttachOptions,
  ): Promise<BegunFile[]> {
    const wanted = byFile(entries)
    const [files, there, useOf] = await together([
      this.#suitedFiles(tx, caller, wanted, options.param),
      store.findFiles(tx, storeId, [...wanted.keys()]),
      this.useOf(tx, [storeId]),
    ])
    const stayed = there.filter((row) => stays(row, wanted.get(row.file_id)?.chunking))
    const kept = new Set(stayed.map(({ file_id }) => file_id))
    const replaced = there.filter(({ file_id }) => !kept.has(file_id))
    await this.#dropChunks(tx, replaced)
    if (replaced.length > 0) await this.#publish(tx, storeId, true)
    await store.deleteFiles(
      tx,
      replaced.map(({ id }) => id),
    )
    const begun = [...wanted.values()].filter(({ fileId }) => !kept.has(fileId))
    const rows = begun.map((entry) => this.#newRow(caller, storeId, entry, options.batchId))
    const others = useOf(storeId).counts.total - replaced.filter(({ status }) => status !== 'removed').length
    if (rows.length > 0 && others + rows.length > maxStoreFiles) {
      throw vectorStoreErrors.tooManyFiles(storeId, maxStoreFiles, options.param)
    }
    await store.insertFiles(tx, rows)
    await store.describeFiles(tx, stayed.flatMap(describedBy(wanted)))
    return rows.map(({ id, file_id }) => ({ id, bytes: files.get(file_id)?.bytes ?? 0 }))
  }

  async find(storeId: string, fileId: string): Promise<Attachment | undefined> {
    const [row] = await store.findFiles(this.#parts.db.queries, storeId, [fileId])
    return row?.status === 'removed' ? undefined : row
  }

  get(id: string): Promise<Attachment | undefined> {
    return store.findAttachment(this.#parts.db.queries, id)
  }

  /** Which file each of these attachments is of; those removed meanwhile are left out. */
  async described(attachmentIds: readonly string[]): Promise<Map<string, DescribedFile>> {
    if (attachmentIds.length === 0) return new Map()
    const rows = await store.findAttachments(this.#parts.db.queries, attachmentIds)
    return new Map(rows.map((row) => [row.id, { fileId: row.file_id, attributes: attributesOf(row) }]))
  }

  /** The attachments of a store that a filter lets through. */
  async matching(storeId: string, filter: SearchFilter): Promise<string[]> {
    const found: string[] = []
    for (let after = { position: -1, id: '' }, more = true; more; ) {
      const page = await store.listAttributes(this.#parts.db.queries, storeId, after, filesPerPage)
      found.push(...page.filter((row) => matches(filter, attributesOf(row))).map(({ id }) => id))
      after = page.at(-1) ?? after
      more = page.length === filesPerPage
    }
    return found
  }

  /** Undefined when the file is not in the store. */
  async describe(tx: Tx, storeId: string, fileId: string, attributes: Attributes): Promise<Attachment | undefined> {
    const [row] = await store.findFiles(tx, storeId, [fileId])
    if (row === undefined || row.status === 'removed') return undefined
    const change = { attributes: JSON.stringify(attributes) }
    await store.changeFile(tx, row.id, change)
    return { ...row, ...change }
  }

  /** In whose name a file of the store was embedded; undefined where none has chunks. */
  async someCaller(storeId: string): Promise<ProjectCaller | undefined> {
    const row = await store.findFileWithChunks(this.#parts.db.queries, storeId)
    return row && (JSON.parse(row.caller) as ProjectCaller)
  }

  async useOf(queries: Queries, storeIds: readonly string[]): Promise<(storeId: string) => StoreUse> {
    const rows = await store.countFiles(queries, storeIds)
    return (storeId) => {
      const own = rows.filter(({ store_id }) => store_id === storeId)
      return { counts: toCounts(own), usageBytes: own.reduce((sum, row) => sum + row.usage_bytes, 0) }
    }
  }

  /** Those of the stores in which there is something to find, however many files they have. */
  async filled(storeIds: readonly string[]): Promise<Set<string>> {
    const sizes = await Promise.all(storeIds.map((id) => this.#parts.vectors.sizeOf(id)))
    return new Set(storeIds.filter((_, at) => sizes[at] !== 0))
  }

  /**
   * Stores chunks that follow those it has; with the last it is complete. Undefined: it was given up, or another node
   * went on with it, and the transaction must not be kept.
   */
  async growIn(
    tx: Tx,
    row: Attachment,
    chunks: readonly VectorChunk[],
    isLast: boolean,
  ): Promise<Attachment | undefined> {
    const usageBytes = chunks.reduce((sum, { text, vector }) => sum + Buffer.byteLength(text) + vector.byteLength, 0)
    const growing = store.growFile(tx, row, { chunks: chunks.length, usageBytes, isLast })
    const adding = this.#parts.vectors.add(tx, row.store_id, row.id, chunks)
    // Chunks that do not fit are no fault of theirs where the file is another's by now.
    const [grown] = await together([growing, adding.catch(() => undefined)])
    if (grown === undefined) return undefined
    await adding
    if (isLast) await this.#publish(tx, row.store_id, false)
    return grown
  }

  async failIn(tx: Tx, { id, store_id }: Attachment, problem: FileProblem): Promise<void> {
    const row = await store.changeOpenFile(tx, id, { status: 'failed', error: JSON.stringify(problem) })
    if (row === undefined) return
    await this.#dropChunks(tx, [row])
    await this.#publish(tx, store_id, false)
  }

  /** How often it has failed since it last got any further. */
  async countFailure(id: string): Promise<number> {
    return (await store.countFailure(this.#parts.db.queries, id))?.failures ?? 0
  }

  async detachIn(tx: Tx, storeId: string, fileIds: readonly string[]): Promise<void> {
    if (fileIds.length === 0) return
    for (const row of await store.findFiles(tx, storeId, fileIds)) {
      if (row.status !== 'removed') await this.removeIn(tx, row)
    }
  }

  /** When each of these files was attached, by its id; those that are not in the store are left out. */
  async attachedAt(storeId: string, fileIds: readonly string[]): Promise<Map<string, number>> {
    if (fileIds.length === 0) return new Map()
    const rows = await store.findFiles(this.#parts.db.queries, storeId, fileIds)
    return new Map(rows.filter(({ status }) => status !== 'removed').map((row) => [row.file_id, row.created_at]))
  }

  async removeIn(tx: Tx, row: Attachment): Promise<void> {
    await this.#dropChunks(tx, [row])
    await store.changeFile(tx, row.id, { status: 'removed', removed_at: unixSeconds(this.#parts.clock) })
    await this.#publish(tx, row.store_id, true)
  }

  /** Work on the files that a batch began stops; what they have stored so far goes with `clearCancelledIn`. */
  async cancelIn(tx: Tx, storeId: string, batchId: string): Promise<void> {
    await store.cancelFiles(tx, batchId)
    await this.#publish(tx, storeId, true)
  }

  async clearCancelledIn(tx: Tx, batchId: string): Promise<void> {
    await this.#dropChunks(tx, await store.cancelledWithChunks(tx, batchId))
  }

  /** What else belongs to stores, and goes with them. */
  onRemoval(...deletions: DeleteSome[]): void {
    this.#ofStores.add(...deletions)
  }

  /** All of a store that is gone or has expired, with what was made of them. */
  async removeAllIn(tx: Tx, storeId: string): Promise<void> {
    await this.#parts.vectors.removeCollection(tx, storeId)
    await this.#ofStores.purgeIn(tx, storeId)
    await this.#publish(tx, storeId, true)
  }

  forgetRemoved(): Promise<unknown> {
    const { db, clock } = this.#parts
    return store.deleteRemovedBefore(db.queries, unixSeconds(clock) - cursorSeconds)
  }

  #publish(tx: Tx, storeId: string, isStop: boolean): Promise<void> {
    return this.#parts.events.publish(tx, filesTopic, { storeId, isStop } satisfies FilesEvent)
  }

  async #removeFromSome(tx: Tx, fileId: string, limit: number): Promise<Attachment[]> {
    const rows = await store.attachmentsOf(tx, fileId, limit)
    for (const row of rows) await this.removeIn(tx, row)
    return rows
  }

  /** Of files of one store. */
  async #dropChunks(tx: Tx, rows: readonly Attachment[]): Promise<void> {
    const filled = rows.filter(({ chunks }) => chunks > 0)
    const [first] = filled
    if (first === undefined) return
    const ids = filled.map(({ id }) => id)
    await this.#parts.vectors.removeOwners(tx, first.store_id, ids)
    await store.changeFiles(tx, ids, { chunks: 0, usage_bytes: 0 })
  }

  async #suitedFiles(
    tx: Tx,
    caller: ProjectCaller,
    wanted: ReadonlyMap<string, AttachEntry>,
    listParam: string,
  ): Promise<Map<string, FileObject>> {
    const found = await this.#parts.files.named(tx, caller, wanted.keys())
    for (const { fileId, param } of wanted.values()) {
      const file = found.get(fileId)
      if (file === undefined) throw vectorStoreErrors.noSuchFile(fileId, param)
      const isSuited = file.purpose === 'assistants' || file.purpose === 'assistants_output'
      if (!isSuited) throw vectorStoreErrors.wrongPurpose(fileId, file.purpose, param ?? listParam)
    }
    return found
  }

  #newRow(caller: ProjectCaller, storeId: string, entry: AttachEntry, batchId: string | undefined): Attachment {
    const { fileId, chunking, attributes } = entry
    const sizes = sizesOf(chunking)
    return {
      ...newObject(this.#parts, 'vsf_'),
      store_id: storeId,
      file_id: fileId,
      batch_id: batchId ?? null,
      caller: JSON.stringify(caller),
      status: 'in_progress',
      error: null,
      chunk_tokens: sizes.max_chunk_size_tokens,
      overlap_tokens: sizes.chunk_overlap_tokens,
      attributes: attributes ? JSON.stringify(attributes) : null,
      ...{ chunks: 0, usage_bytes: 0, failures: 0, removed_at: null },
    }
  }
}

export const attributesOf = ({ attributes }: Pick<Attachment, 'attributes'>): Attributes =>
  attributes === null ? {} : JSON.parse(attributes)

/** What a file is given first counts. */
function byFile(entries: readonly AttachEntry[]): Map<string, AttachEntry> {
  const found = new Map<string, AttachEntry>()
  for (const entry of entries) if (!found.has(entry.fileId)) found.set(entry.fileId, entry)
  return found
}

/** Files that are there already keep their attributes, unless they are given others. */
const describedBy =
  (wanted: ReadonlyMap<string, AttachEntry>) =>
  ({ id, file_id }: Attachment) => {
    const attributes = wanted.get(file_id)?.attributes
    return attributes ? [{ id, attributes: JSON.stringify(attributes) }] : []
  }

const sizesOf = (chunking: ChunkingStrategy | undefined) =>
  chunking?.type === 'static' ? chunking.static : autoChunking

/** Other sizes than it has are a wish to begin again. */
function stays(row: Attachment, chunking: ChunkingStrategy | undefined): boolean {
  if (row.status !== 'in_progress' && row.status !== 'completed') return false
  const sizes = sizesOf(chunking)
  const isSame = row.chunk_tokens === sizes.max_chunk_size_tokens && row.overlap_tokens === sizes.chunk_overlap_tokens
  return chunking === undefined || isSame
}

export function toCounts(rows: readonly { status: string; files: number }[]): FileCounts {
  const of = (status: string): number => rows.find((row) => row.status === status)?.files ?? 0
  const counts = {
    in_progress: of('in_progress'),
    completed: of('completed'),
    failed: of('failed'),
    cancelled: of('cancelled'),
  }
  return { ...counts, total: rows.reduce((sum, { files }) => sum + files, 0) }
}
