// Copies blobs that a backup does not have yet.
import { pipeline } from 'node:stream/promises'
import { BlobMissing, type BlobStore, type StoredBlob } from '../blobs/blobs.ts'
import { inLanes } from './lanes.ts'
import type { BackedUpBlob } from './manifest.ts'
import { Measured } from './measured.ts'
import { BackupProblem } from './problem.ts'
import type { Vault } from './vault.ts'

const copiesAtOnce = 4

export interface Copied {
  /** By key: everything that the place holds whole. */
  blobs: Map<string, BackedUpBlob>
  /** How many were copied now. */
  fresh: number
}

/** Returns the keys of those that were gone when their turn came. */
export async function copyBlobs(
  store: Pick<BlobStore, 'read'>,
  vault: Vault,
  segments: readonly StoredBlob[],
  copied: Copied,
): Promise<string[]> {
  const vanished: string[] = []
  const wanted = segments.filter(({ key }) => !copied.blobs.has(key))
  await inLanes(wanted, copiesAtOnce, async (segment) => {
    const blob = await copyBlob(store, vault, segment)
    if (blob === undefined) vanished.push(segment.key)
    else {
      copied.blobs.set(blob.key, blob)
      copied.fresh++
    }
  })
  return vanished
}

async function copyBlob(
  store: Pick<BlobStore, 'read'>,
  vault: Vault,
  { key, bytes }: StoredBlob,
): Promise<BackedUpBlob | undefined> {
  const source = await store.read(key).catch((error) => {
    if (error instanceof BlobMissing) return undefined
    throw error
  })
  if (source === undefined) return undefined
  const measured = new Measured()
  const writing = vault.writeBlob(key, bytes, measured).catch((error) => {
    measured.destroy(error)
    throw error
  })
  await Promise.all([writing, pipeline(source, measured)])
  if (measured.bytes !== bytes) {
    throw new BackupProblem(
      `The blob ${key} has ${measured.bytes} bytes, and the database says ${bytes}: it is damaged.`,
    )
  }
  return { key, bytes, sha256: measured.sha256() }
}
