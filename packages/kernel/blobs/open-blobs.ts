// Opens the store that the configuration names, or both while blobs move from one to another.
import { join } from 'node:path'
import type { Clock } from '../clock/clock.ts'
import type { BlobPlace } from '../config/blob-config.ts'
import type { KernelConfig } from '../config/kernel-config.ts'
import type { Database } from '../db/database.ts'
import type { Ids } from '../ids/ids.ts'
import type { BlobStore } from './blobs.ts'
import { createLocalDisk } from './local-disk.ts'
import { ownStoreId } from './store-id.ts'
import { twoStores } from './two-stores.ts'

interface OpenedBlobs {
  blobs: BlobStore
  /** That blobs are written to; none where they lie elsewhere. */
  folder: string | undefined
  /** Why nothing can be kept now; undefined when all is well. */
  problem(): Promise<string | undefined>
  close(): void
}

interface BlobNeeds {
  config: Pick<KernelConfig, 'data' | 'blobs'>
  clock: Clock
  ids: Ids
}

/** For a node: the bucket is marked as that of this database. */
export async function openBlobs(needs: BlobNeeds & { db: Database }): Promise<OpenedBlobs> {
  const { also, ...main } = needs.config.blobs
  const storeId = main.s3 === undefined ? undefined : await ownStoreId(needs.db, needs.ids)
  return withAlso(needs, await openPlace(needs, main, storeId, 'claim'), also)
}

/** For who reads all blobs, wherever they lie, beside the nodes that serve. */
export async function openAllBlobs(needs: BlobNeeds): Promise<OpenedBlobs> {
  return withAlso(needs, await openUnclaimedBlobs(needs), needs.config.blobs.also)
}

async function withAlso(needs: BlobNeeds, first: OpenedBlobs, also: BlobPlace | undefined): Promise<OpenedBlobs> {
  if (also === undefined) return first
  const second = await openAlso(needs, also)
  const close = () => {
    first.close()
    second.close()
  }
  return { ...first, blobs: twoStores(first.blobs, second.blobs), close }
}

/** For copies of the whole store. A bucket that holds the blobs of another than `storeId` is refused. */
export async function openUnclaimedBlobs(needs: BlobNeeds & { storeId?: string | undefined }): Promise<OpenedBlobs> {
  const { also: _, ...main } = needs.config.blobs
  return openPlace(needs, main, needs.storeId, 'look')
}

/** Where blobs still lie; the caller knows that there is such a place. */
export async function openAlso(needs: BlobNeeds, also: BlobPlace): Promise<OpenedBlobs> {
  const { data, blobs } = needs.config
  const isSame =
    also.s3 === undefined
      ? blobs.s3 === undefined && folderOf(data, also) === folderOf(data, blobs)
      : also.s3.bucket === blobs.s3?.bucket &&
        also.s3.endpoint === blobs.s3.endpoint &&
        also.s3.prefix === blobs.s3.prefix
  if (isSame) throw new Error('blobs.also is the place where blobs lie already; name the one they come from')
  return openPlace(needs, also, undefined, 'look')
}

const folderOf = (data: string, { folder }: Pick<BlobPlace, 'folder'>): string => folder ?? join(data, 'blobs')

async function openPlace(
  { config, clock, ids }: BlobNeeds,
  place: BlobPlace,
  storeId: string | undefined,
  mode: 'claim' | 'look',
): Promise<OpenedBlobs> {
  const { s3 } = place
  if (s3 === undefined) {
    const folder = folderOf(config.data, place)
    const blobs = await createLocalDisk(folder, clock, ids)
    return { blobs, folder, problem: async () => undefined, close: () => undefined }
  }
  // The client is large, and most installations have no bucket.
  const { bucketProblem, lookAtBucket, openBucket } = await import('./s3/open-bucket.ts')
  const { createS3Store, storeSettings } = await import('./s3/s3-store.ts')
  const claims = mode === 'claim' && storeId !== undefined
  const bucket = claims ? await openBucket(s3, storeId) : await lookAtBucket(s3, storeId)
  return {
    blobs: createS3Store(bucket, storeSettings(s3), clock, ids),
    folder: undefined,
    problem: () => bucketProblem(bucket),
    close: () => bucket.client.destroy(),
  }
}
