// Files of a project: stored, listed, served, deleted.
import type { Readable } from 'node:stream'
import type { ByteRange, LinkedAnswer, StoredBlob } from '@atoll/kernel/blobs/blobs'
import type { Segments } from '@atoll/kernel/blobs/segments'
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import { together } from '@atoll/kernel/db/together'
import type { IncomingFile } from '@atoll/kernel/http/route'
import type { Ids } from '@atoll/kernel/ids/ids'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { ProjectCaller } from '../../callers.ts'
import { type ListEnvelope, listPage } from '../../conventions/lists.ts'
import { fileErrors } from '../../errors/errors.ts'
import { ifNotFound } from '../../errors/if-not-found.ts'
import { type FileObject, type FilePurpose, maxBatchFileBytes, type UploadPurpose } from './schema.ts'
import * as store from './store.ts'

export interface FilesSettings {
  maxOrganizationBytes: number
}

const namesPerQuery = 500
const overdueAtOnce = 100

interface Parts {
  db: Database
  segments: Segments
  ids: Ids
  clock: Clock
  settings: FilesSettings
}

/** In whose name a file is kept. */
export type FileOwner = Pick<ProjectCaller, 'organizationId' | 'projectId'>

export type FileId = ReturnType<typeof newObject>

export interface NewFile {
  filename: string
  purpose: FilePurpose
  bytes: number
  /** It goes by itself. */
  lifetimeSeconds?: number | undefined
}

interface FileContent {
  file: FileObject
  read(range?: ByteRange): Readable
  /** Where a client gets it from the store itself, if anywhere. */
  link(answer: LinkedAnswer): Promise<string | undefined>
}

/** Runs in the transaction that deletes the file. */
type DeleteListener = (tx: Tx, fileId: string) => Promise<void>

export class Files {
  readonly #parts: Parts
  readonly #deleteListeners: DeleteListener[] = []

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** For what is made of files and goes with them. */
  onDelete(listener: DeleteListener): void {
    this.#deleteListeners.push(listener)
  }

  async create(
    owner: FileOwner,
    purpose: UploadPurpose,
    file: IncomingFile,
    lifetimeSeconds?: number,
  ): Promise<FileObject> {
    checkPurposeRules({ purpose, filename: file.filename, bytes: file.blob.bytes }, 'file')
    const { filename, blob } = file
    return this.#parts.db.transaction(async (tx) => {
      const made = { filename, purpose, bytes: blob.bytes, lifetimeSeconds }
      const [, kept] = await together([
        this.reserve(tx, owner.organizationId, blob.bytes),
        this.#insert(tx, owner, made, (id) => this.#parts.segments.keep(tx, id, [blob])),
      ])
      return kept
    })
  }

  /** Makes a file of segments stored under other owners, in that order; their bytes are reserved already. */
  joinStored(tx: Tx, owner: FileOwner, file: NewFile, segmentOwners: string[]): Promise<FileObject> {
    return this.#insert(tx, owner, file, (id) => this.#parts.segments.join(tx, segmentOwners, id))
  }

  /** A file's id before the file is there, so that what names it can be written first. */
  newId(): FileId {
    return newObject(this.#parts, 'file-')
  }

  /** Keeps what code wrote for an assistant, under an id given out before. */
  async keepWritten(tx: Tx, owner: FileOwner, id: FileId, filename: string, blob: StoredBlob): Promise<FileObject> {
    await this.reserve(tx, owner.organizationId, blob.bytes)
    const file = { filename, purpose: 'assistants_output' as const, bytes: blob.bytes } // INF-188
    return this.#insert(tx, owner, file, (key) => this.#parts.segments.keep(tx, key, [blob]), id)
  }

  /** Keeps what the service itself has made. */
  async keepOutput(tx: Tx, owner: FileOwner, filename: string, blob: StoredBlob): Promise<FileObject> {
    await this.reserve(tx, owner.organizationId, blob.bytes)
    const file = { filename, purpose: 'batch_output' as const, bytes: blob.bytes } // INF-189
    return this.#insert(tx, owner, file, (id) => this.#parts.segments.keep(tx, id, [blob]))
  }

  /** Keeps the results of a training. */
  async keepResults(tx: Tx, owner: FileOwner, filename: string, blob: StoredBlob): Promise<FileObject> {
    await this.reserve(tx, owner.organizationId, blob.bytes)
    const file = { filename, purpose: 'fine-tune-results' as const, bytes: blob.bytes } // INF-190
    return this.#insert(tx, owner, file, (id) => this.#parts.segments.keep(tx, id, [blob]))
  }

  async get(owner: FileOwner, id: string): Promise<FileObject> {
    return present(await this.#find(owner, id))
  }

  /** Those of the named files that exist, by id, read through the transaction that needs them. */
  async named(queries: Queries, owner: FileOwner, ids: Iterable<string>): Promise<Map<string, FileObject>> {
    const found = new Map<string, FileObject>()
    const wanted = [...new Set(ids)]
    for (let at = 0; at < wanted.length; at += namesPerQuery) {
      const rows = await store.findFiles(queries, owner.projectId, wanted.slice(at, at + namesPerQuery))
      for (const row of rows) found.set(row.id, present(row))
    }
    return found
  }

  list(owner: FileOwner, purpose: FilePurpose | undefined, page: PageQuery): Promise<ListEnvelope<FileObject>> {
    const { queries } = this.#parts.db
    return listPage(page, (query) => store.listFiles(queries, owner.projectId, purpose, query), present)
  }

  async delete(owner: FileOwner, id: string): Promise<void> {
    await this.#parts.db.transaction(async (tx) => {
      const file = await store.deleteFile(tx, owner.projectId, id)
      if (!file) throw fileErrors.noSuchFile(id)
      for (const listener of this.#deleteListeners) await listener(tx, id)
      await store.releaseStorage(tx, file.organization_id, file.bytes)
      await this.#parts.segments.release(tx, [id])
    })
  }

  async removeOverdue(): Promise<void> {
    const { db, clock } = this.#parts
    for (;;) {
      const overdue = await store.overdueFiles(db.queries, unixSeconds(clock), overdueAtOnce)
      for (const { project_id, organization_id, id } of overdue) {
        await this.delete({ projectId: project_id, organizationId: organization_id }, id).catch(ifNotFound)
      }
      if (overdue.length < overdueAtOnce) return
    }
  }

  async content(owner: FileOwner, id: string): Promise<FileContent> {
    const file = present(await this.#find(owner, id))
    const { segments, db } = this.#parts
    const stored = await segments.of(db.queries, id)
    return {
      file,
      read: (range) => segments.read(stored, range),
      link: (answer) => segments.link(stored, answer),
    }
  }

  /** Counts bytes towards the organization's 100 GB before they are a file. INF-210 */
  async reserve(tx: Tx, organizationId: string, bytes: number): Promise<void> {
    const { maxOrganizationBytes } = this.#parts.settings
    if (!(await store.reserveStorage(tx, organizationId, bytes, maxOrganizationBytes))) {
      throw fileErrors.organizationFull(maxOrganizationBytes)
    }
  }

  unreserve(tx: Tx, organizationId: string, bytes: number): Promise<unknown> {
    return store.releaseStorage(tx, organizationId, bytes)
  }

  async #insert(
    tx: Tx,
    owner: FileOwner,
    file: NewFile,
    attach: (id: string) => Promise<unknown>,
    id = this.newId(),
  ): Promise<FileObject> {
    const row: store.FileRow = {
      ...id,
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      filename: file.filename,
      purpose: file.purpose,
      bytes: file.bytes,
      expires_at: file.lifetimeSeconds === undefined ? null : id.created_at + file.lifetimeSeconds,
    }
    await together([store.insertFile(tx, row), attach(row.id)])
    return present(row)
  }

  async #find(owner: FileOwner, id: string): Promise<store.FileRow> {
    const file = await store.findFile(this.#parts.db.queries, owner.projectId, id)
    // The periodic job may be a little behind.
    if (!file || (file.expires_at !== null && file.expires_at <= unixSeconds(this.#parts.clock))) {
      throw fileErrors.noSuchFile(id)
    }
    return file
  }
}

/** The rules that depend on the purpose: INF-212, INF-213, INF-214. */
export function checkPurposeRules(file: NewFile, param: string): void {
  if (file.purpose !== 'batch' && file.purpose !== 'fine-tune') return
  if (!file.filename.toLowerCase().endsWith('.jsonl')) throw fileErrors.notJsonLines(file.purpose, param)
  if (file.purpose === 'batch' && file.bytes > maxBatchFileBytes) {
    throw fileErrors.tooLargeForPurpose(file.purpose, param, maxBatchFileBytes)
  }
}

const present = (row: store.FileRow): FileObject => ({
  id: row.id,
  object: 'file',
  bytes: row.bytes,
  created_at: row.created_at,
  filename: row.filename,
  purpose: row.purpose,
  status: 'processed',
  ...(row.expires_at === null ? {} : { expires_at: row.expires_at }),
})
