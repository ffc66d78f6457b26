// Large files in parts: parts arrive in any order and at once; completing joins them without copying a byte.
import type { StoredBlob } from '@atoll/kernel/blobs/blobs'
import type { Segments } from '@atoll/kernel/blobs/segments'
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import { newObject } from '@atoll/kernel/ids/new-object'
import { uploadErrors } from '../../errors/errors.ts'
import type { FileObject } from '../files/schema.ts'
import { checkPurposeRules, type FileOwner, type Files } from '../files/service.ts'
import {
  type CompleteUpload,
  type CreateUpload,
  maxPartBytes,
  maxParts,
  type UploadObject,
  type UploadPart,
  type UploadStatus,
  uploadLifetimeSeconds,
} from './schema.ts'
import * as store from './store.ts'

const endedUploadsKeptSeconds = 7 * 24 * 3600
const expiredPerSweep = 100

interface Parts {
  db: Database
  segments: Segments
  files: Files
  ids: Ids
  clock: Clock
}

export class Uploads {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The declared bytes count towards the organization's storage from here on, until cancelled or expired. */
  async create(owner: FileOwner, request: CreateUpload): Promise<UploadObject> {
    const { purpose, filename, bytes } = request
    if (filename === '') throw uploadErrors.noFilename()
    if (!request.mime_type && (purpose === 'assistants' || purpose === 'vision')) {
      throw uploadErrors.mimeTypeRequired(purpose) // INF-196: elsewhere the file name tells the type
    }
    checkPurposeRules(
      { purpose, filename, bytes },
      purpose === 'batch' && filename.endsWith('.jsonl') ? 'bytes' : 'filename',
    )
    const made = newObject(this.#parts, 'upload_')
    const row: store.UploadRow = {
      ...made,
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      filename,
      purpose,
      bytes,
      status: 'pending',
      expires_at: made.created_at + uploadLifetimeSeconds,
    }
    await this.#parts.db.transaction(async (tx) => {
      await this.#parts.files.reserve(tx, owner.organizationId, bytes)
      await store.insertUpload(tx, row)
    })
    return present(row, 'pending')
  }

  async addPart(owner: FileOwner, uploadId: string, blob: StoredBlob): Promise<UploadPart> {
    const { db, ids, clock, segments } = this.#parts
    const part = { id: ids.next('part_'), upload_id: uploadId, bytes: blob.bytes, created_at: unixSeconds(clock) }
    await db.transaction(async (tx) => {
      const upload = await this.#findPending(tx, owner, uploadId, 'add a part to')
      // Parts sent again after a failure take room too, so there is room for twice the declared size.
      const maxBytes = 2 * upload.bytes + maxPartBytes
      const stored = await store.totalParts(tx, uploadId)
      if (stored.bytes + blob.bytes > maxBytes) throw uploadErrors.tooMuchData(maxBytes)
      if (stored.count >= maxParts) throw uploadErrors.tooManyParts(maxParts)
      await store.insertPart(tx, part)
      await segments.keep(tx, part.id, [blob])
    })
    return { id: part.id, object: 'upload.part', created_at: part.created_at, upload_id: uploadId }
  }

  async complete(
    owner: FileOwner,
    uploadId: string,
    request: CompleteUpload,
    signal: AbortSignal,
  ): Promise<UploadObject> {
    const { db, files } = this.#parts
    const { part_ids } = request
    if (request.md5) await this.#checkDigest(owner, uploadId, request.md5, part_ids, signal)
    return db.transaction(async (tx) => {
      const upload = await this.#findPending(tx, owner, uploadId, 'complete')
      const stored = await this.#checkListed(tx, upload, part_ids)
      const listed = new Set(part_ids)
      const { filename, purpose, bytes } = upload
      const file = await files.joinStored(tx, owner, { filename, purpose, bytes }, part_ids)
      await this.#dropParts(
        tx,
        uploadId,
        stored.filter((id) => !listed.has(id)),
      )
      await store.setStatus(tx, uploadId, 'completed')
      return present(upload, 'completed', file)
    })
  }

  async cancel(owner: FileOwner, uploadId: string): Promise<UploadObject> {
    return this.#parts.db.transaction(async (tx) => {
      const upload = await this.#findPending(tx, owner, uploadId, 'cancel')
      await this.#abandon(tx, upload, 'cancelled')
      return present(upload, 'cancelled')
    })
  }

  /** Runs every minute: what is past its hour gives its room back. */
  async expireOverdue(): Promise<number> {
    const { db, clock } = this.#parts
    const now = unixSeconds(clock)
    const overdue = await store.listOverdue(db.queries, now, expiredPerSweep)
    for (const { id, project_id } of overdue) {
      await db.transaction(async (tx) => {
        const upload = await store.findUpload(tx, project_id, id)
        if (upload?.status === 'pending') await this.#abandon(tx, upload, 'expired')
      })
    }
    await store.deleteEndedBefore(db.queries, now - endedUploadsKeptSeconds)
    return overdue.length
  }

  async #abandon(tx: Tx, upload: store.UploadRow, status: UploadStatus): Promise<void> {
    const parts = await store.listParts(tx, upload.id)
    await this.#dropParts(
      tx,
      upload.id,
      parts.map(({ id }) => id),
    )
    await this.#parts.files.unreserve(tx, upload.organization_id, upload.bytes)
    await store.setStatus(tx, upload.id, status)
  }

  /** Forgets all parts of the upload; the bytes of `unused` go too. */
  async #dropParts(tx: Tx, uploadId: string, unused: string[]): Promise<void> {
    await store.deleteParts(tx, uploadId)
    if (unused.length > 0) await this.#parts.segments.release(tx, unused)
  }

  /** The ids of all stored parts, when the listed ones exist, are named once and make up the declared size. INF-204 */
  async #checkListed(queries: Queries, upload: store.UploadRow, partIds: string[]): Promise<string[]> {
    const stored = new Map((await store.listParts(queries, upload.id)).map((part) => [part.id, part.bytes]))
    const unknown = partIds.filter((id) => !stored.has(id))
    if (unknown.length > 0) throw uploadErrors.unknownParts(unknown)
    if (new Set(partIds).size < partIds.length) throw uploadErrors.repeatedPart()
    const total = partIds.reduce((sum, id) => sum + (stored.get(id) ?? 0), 0)
    if (total !== upload.bytes) throw uploadErrors.wrongTotal(upload.bytes, total)
    return [...stored.keys()]
  }

  /** Before the transaction, since reading gigabytes takes a while; parts never change once stored. */
  async #checkDigest(
    owner: FileOwner,
    uploadId: string,
    md5: string,
    partIds: string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { db, segments } = this.#parts
    await this.#checkListed(db.queries, await this.#findPending(db.queries, owner, uploadId, 'complete'), partIds)
    const blobs: StoredBlob[] = []
    for (const id of partIds) blobs.push(...(await segments.of(db.queries, id)))
    const actual = await segments.digest(blobs, 'md5', signal)
    if (actual !== md5.toLowerCase()) throw uploadErrors.wrongDigest(md5, actual)
  }

  async #findPending(queries: Queries, owner: FileOwner, id: string, action: string): Promise<store.UploadRow> {
    const upload = await store.findUpload(queries, owner.projectId, id)
    if (!upload) throw uploadErrors.noSuchUpload(id)
    const overdue = upload.status === 'pending' && upload.expires_at <= unixSeconds(this.#parts.clock)
    const status = overdue ? 'expired' : upload.status
    if (status !== 'pending') throw uploadErrors.notPending(id, status, action)
    return upload
  }
}

const present = (row: store.UploadRow, status: UploadStatus, file?: FileObject): UploadObject => ({
  id: row.id,
  object: 'upload',
  bytes: row.bytes,
  created_at: row.created_at,
  filename: row.filename,
  purpose: row.purpose,
  status,
  expires_at: row.expires_at,
  ...(file ? { file } : {}),
})
