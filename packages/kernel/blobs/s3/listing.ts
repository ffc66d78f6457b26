// What lies in a bucket, page by page.
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { Bucket } from './bucket.ts'
import { bucketFailure } from './failure.ts'

/** Names of objects that begin with `start`, without the bucket's prefix and without `start`. */
export async function* namesUnder({ client, name, prefix }: Bucket, start: string): AsyncGenerator<string> {
  const place = { Bucket: name, Prefix: prefix + start }
  let token: { ContinuationToken?: string } = {}
  for (;;) {
    const page = await listed(() => client.send(new ListObjectsV2Command({ ...place, ...token })))
    for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key.slice(place.Prefix.length)
    if (!page.IsTruncated || page.NextContinuationToken === undefined) return
    token = { ContinuationToken: page.NextContinuationToken }
  }
}

interface UploadUnderWay {
  /** Without the bucket's prefix. */
  object: string
  uploadId: string
}

export async function* uploadsUnderWay({ client, name, prefix }: Bucket): AsyncGenerator<UploadUnderWay> {
  const place = { Bucket: name, Prefix: prefix }
  let markers: { KeyMarker?: string; UploadIdMarker?: string } = {}
  for (;;) {
    const page = await listed(() => client.send(new ListMultipartUploadsCommand({ ...place, ...markers })))
    for (const { Key, UploadId } of page.Uploads ?? []) {
      if (Key !== undefined && UploadId !== undefined) yield { object: Key.slice(prefix.length), uploadId: UploadId }
    }
    const { NextKeyMarker, NextUploadIdMarker } = page
    if (!page.IsTruncated || NextKeyMarker === undefined) return
    markers = {
      KeyMarker: NextKeyMarker,
      ...(NextUploadIdMarker !== undefined && { UploadIdMarker: NextUploadIdMarker }),
    }
  }
}

async function listed<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    throw bucketFailure('list', error)
  }
}
