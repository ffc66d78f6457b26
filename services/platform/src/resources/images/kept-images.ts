// Pictures that were answered by URL: kept for an hour, and given to whoever has the signed URL.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import type { BlobStore, StoredBlob } from '@atoll/kernel/blobs/blobs'
import type { Segments } from '@atoll/kernel/blobs/segments'
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import { imageErrors } from '../../errors/images.ts'
import { keptSecret } from '../../identity/invites/kept-secret.ts'
import type { Files } from '../files/service.ts'
import type { ImageQuery } from './schema.ts'
import * as store from './store.ts'

const lifetimeSeconds = 3600
const removedAtOnce = 100
const secretName = 'image-urls'

interface Parts {
  db: Database
  blobs: BlobStore
  segments: Segments
  ids: Ids
  clock: Clock
  files: Files
}

export interface KeptImage {
  bytes: number
  /** Seconds. */
  expiresIn: number
  read(): Readable
}

export class KeptImages {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The path and query it can be fetched with. Its bytes count towards the organization's storage while it is kept. */
  async keep(organizationId: string, png: Uint8Array): Promise<string> {
    const { db, blobs, segments, ids, clock, files } = this.#parts
    const id = ids.next('img-')
    const expires_at = unixSeconds(clock) + lifetimeSeconds
    const blob = await blobs.write(Readable.from([png]), { maxBytes: png.length })
    try {
      const secret = await db.transaction(async (tx) => {
        await files.reserve(tx, organizationId, blob.bytes)
        await store.insertImage(tx, { id, organization_id: organizationId, bytes: blob.bytes, expires_at })
        await segments.keep(tx, id, [blob])
        return keptSecret(tx, secretName)
      })
      return `/v1/images/${id}/content?expires=${expires_at}&signature=${sign(secret, id, expires_at).toString('base64url')}`
    } catch (error) {
      await blobs.remove(blob.key)
      throw error
    }
  }

  /** Throws unless the URL was made here, as it stands, within the last hour. */
  async open(id: string, { expires, signature }: ImageQuery): Promise<KeptImage> {
    const { db, segments, clock } = this.#parts
    const secret = await db.transaction((tx) => keptSecret(tx, secretName))
    const given = Buffer.from(signature, 'base64url')
    const expected = sign(secret, id, Number(expires))
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw imageErrors.badSignature()
    const expiresIn = Number(expires) - unixSeconds(clock)
    const stored: StoredBlob[] = expiresIn > 0 ? await segments.of(db.queries, id) : []
    if (stored.length === 0) throw imageErrors.expired()
    const bytes = stored.reduce((sum, blob) => sum + blob.bytes, 0)
    return { bytes, expiresIn, read: () => segments.read(stored) }
  }

  /** Runs every minute. */
  async removeOverdue(): Promise<void> {
    const { db, segments, clock, files } = this.#parts
    for (let found = removedAtOnce; found === removedAtOnce; ) {
      const overdue = await store.listOverdue(db.queries, unixSeconds(clock), removedAtOnce)
      found = overdue.length
      if (found === 0) return
      await db.transaction(async (tx) => {
        const removed = await store.deleteImages(
          tx,
          overdue.map(({ id }) => id),
        )
        await segments.release(
          tx,
          removed.map(({ id }) => id),
        )
        for (const { organization_id, bytes } of removed) await files.unreserve(tx, organization_id, Number(bytes))
      })
    }
  }
}

const sign = (secret: Buffer, id: string, expires: number): Buffer =>
  createHmac('sha256', secret).update(`image ${id} ${expires}`).digest()
