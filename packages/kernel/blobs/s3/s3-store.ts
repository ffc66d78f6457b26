// Blobs as objects of a bucket: `<prefix><two letters>/<key>`. An object is there whole or not at all.
import { Readable } from 'node:stream'
import { type GetObjectCommandOutput, S3ServiceException } from '@aws-sdk/client-s3'
import type { Clock } from '../../clock/clock.ts'
import type { S3Config } from '../../config/blob-config.ts'
import type { Ids } from '../../ids/ids.ts'
import { assertBlobKey, blobFolder, blobStartedAt, isBlobKey, newBlobKey } from '../blob-key.ts'
import { BlobMissing, type BlobStore, type ByteRange, type LinkedAnswer, type StoredBlob } from '../blobs.ts'
import { receive } from '../receive.ts'
import type { Bucket } from './bucket.ts'
import { bucketFailure, isAbsent } from './failure.ts'
import { IncomingObject } from './incoming-object.ts'
import { namesUnder, uploadsUnderWay } from './listing.ts'
import { objectLink } from './object-link.ts'
import { ObjectReader, type OpenedObject } from './object-reader.ts'
import { digestsSuffix, partBytesMark, readDigests } from './part-digests.ts'
import { PartMemory } from './part-memory.ts'

const megabyte = 1024 * 1024
const rangeNotSatisfiable = 416
/** Of as many parts as S3 takes. */
const mostDigestsBytes = megabyte

type S3StoreSettings = Pick<S3Config, 'memoryMb' | 'attempts' | 'redirects'> & { partBytes: number }

export const storeSettings = (config: S3Config): S3StoreSettings => ({ ...config, partBytes: config.partMb * megabyte })

export function createS3Store(bucket: Bucket, settings: S3StoreSettings, clock: Clock, ids: Ids): BlobStore {
  const { partBytes, attempts } = settings
  const memory = new PartMemory(settings.memoryMb * megabyte)
  // Uploads that the last listing found half-way: to remove such a key is to give them up.
  const abandoned = new Map<string, string[]>()
  return {
    async write(source, options) {
      options.signal?.throwIfAborted()
      const { key = newBlobKey(clock, ids) } = options
      assertBlobKey(key)
      const object = new IncomingObject({ bucket, name: objectName(key), partBytes, memory }, options)
      await receive(source, object, options.signal)
      return { key, bytes: object.bytes } satisfies StoredBlob
    },
    async read(key, range) {
      assertBlobKey(key)
      const place = { key, attempts, open: (from: ByteRange, etag?: string) => openObject(bucket, key, from, etag) }
      const opened = await openObject(bucket, key, range)
      return opened === nothing ? Readable.from([]) : new ObjectReader(place, opened, range?.start ?? 0)
    },
    ...(settings.redirects && {
      async link(key: string, answer: LinkedAnswer) {
        assertBlobKey(key)
        return objectLink(bucket, objectName(key), answer)
      },
    }),
    async size(key) {
      assertBlobKey(key)
      return bucket.size(objectName(key))
    },
    async remove(key) {
      assertBlobKey(key)
      await Promise.all([bucket.remove(objectName(key)), bucket.remove(objectName(key) + digestsSuffix)])
      for (const uploadId of abandoned.get(key) ?? []) await bucket.dropParts(objectName(key), uploadId)
      abandoned.delete(key)
    },
    async *list() {
      abandoned.clear()
      // What is being written first: it may be finished meanwhile, and is then seen twice, not never.
      for await (const { object, uploadId } of uploadsUnderWay(bucket)) {
        const key = keyOf(object)
        if (key === undefined) continue
        abandoned.set(key, [...(abandoned.get(key) ?? []), uploadId])
        yield { key, startedAt: blobStartedAt(key) }
      }
      let last: string | undefined
      for await (const object of namesUnder(bucket, '')) {
        // Names come in their order: digests follow what they are of, or stand alone where that is gone.
        const key = keyOf(object.endsWith(digestsSuffix) ? object.slice(0, -digestsSuffix.length) : object)
        if (key !== undefined && key !== last) yield { key, startedAt: blobStartedAt(key) }
        last = key
      }
    },
    freeBytes: async () => Number.POSITIVE_INFINITY,
  }
}

const objectName = (key: string): string => `${blobFolder(key)}/${key}`

/** Undefined for what is not ours: another installation may use a prefix that begins with this one. */
function keyOf(object: string): string | undefined {
  const key = object.slice(object.lastIndexOf('/') + 1)
  return isBlobKey(key) && object === objectName(key) ? key : undefined
}

/** What there is of a range that begins at or beyond the end. */
const nothing: OpenedObject = {
  ...{ body: Readable.from([]), etag: undefined, bytes: 0 },
  ...{ checksum: undefined, parts: undefined },
}

async function openObject(bucket: Bucket, key: string, range?: ByteRange, etag?: string): Promise<OpenedObject> {
  const asked = range && `bytes=${range.start}-${Number.isSafeInteger(range.end) ? range.end : ''}`
  try {
    const answer = await bucket.get(objectName(key), asked, etag)
    // An etag is given by who reads on, and has the digests.
    const found = opened(answer, range)
    return etag === undefined ? await withParts(bucket, key, found, answer) : found
  } catch (error) {
    if (isAbsent(error)) throw new BlobMissing(key)
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === rangeNotSatisfiable) return nothing
    throw bucketFailure('read', error)
  }
}

function opened(answer: GetObjectCommandOutput, range: ByteRange | undefined): OpenedObject {
  const { Body, ContentLength, ContentRange, ETag, Metadata } = answer
  if (!(Body instanceof Readable) || ContentLength === undefined)
    throw new Error('the answer has no body of known size')
  const whole = ContentRange === undefined || ContentRange.endsWith(`/${ContentLength}`)
  if (range !== undefined && range.start > 0 && ContentRange === undefined) {
    Body.destroy()
    throw new Error('it gave the whole object where a range was asked for')
  }
  return {
    body: Body,
    etag: ETag,
    bytes: ContentLength,
    checksum: whole ? (Metadata?.crc32 ?? Metadata?.sha256) : undefined,
    parts: undefined,
  }
}

/** With the digests of its parts, where it has some. */
async function withParts(
  bucket: Bucket,
  key: string,
  found: OpenedObject,
  { Metadata, ContentRange, ContentLength = 0 }: GetObjectCommandOutput,
): Promise<OpenedObject> {
  const partBytes = Number(Metadata?.[partBytesMark])
  if (!Number.isSafeInteger(partBytes) || partBytes <= 0) return found
  // A body that nobody reads yet may break before its reader is there, which then reads on.
  found.body.on('error', () => undefined)
  try {
    const { Body, ContentLength: textBytes = 0 } = await bucket.get(objectName(key) + digestsSuffix, undefined)
    const text = textBytes > mostDigestsBytes ? undefined : await Body?.transformToString()
    const total = Number(ContentRange?.slice(ContentRange.lastIndexOf('/') + 1) ?? ContentLength)
    return { ...found, parts: readDigests(text ?? '', partBytes, total) ?? unknownParts(key) }
  } catch (error) {
    found.body.destroy()
    throw error
  }
}

function unknownParts(key: string): never {
  throw new Error(`The digests beside the blob ${key} are not those of its parts.`)
}
