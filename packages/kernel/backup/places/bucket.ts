// Backups in a bucket of an S3-compatible store.
import { Readable } from 'node:stream'
import { receive } from '../../blobs/receive.ts'
import { Bucket } from '../../blobs/s3/bucket.ts'
import { BucketFailure, bucketFailure, isAbsent } from '../../blobs/s3/failure.ts'
import { IncomingObject } from '../../blobs/s3/incoming-object.ts'
import { namesUnder } from '../../blobs/s3/listing.ts'
import { PartMemory } from '../../blobs/s3/part-memory.ts'
import type { S3Config } from '../../config/blob-config.ts'
import type { Place } from './place.ts'

const megabyte = 1024 * 1024

export function bucketPlace(config: S3Config): Place {
  const bucket = new Bucket(config)
  const memory = new PartMemory(config.memoryMb * megabyte)
  const partBytes = config.partMb * megabyte
  return {
    description: `s3://${bucket.name}/${bucket.prefix}`,
    async write(name, bytes, source) {
      const object = new IncomingObject({ bucket, name, partBytes, memory }, { maxBytes: bytes })
      await receive(source, object, undefined)
    },
    async read(name) {
      try {
        const { Body } = await bucket.get(name, undefined)
        if (Body instanceof Readable) return Body
        throw new BucketFailure('read', new Error('the answer has no body'))
      } catch (error) {
        if (isAbsent(error)) return undefined
        throw bucketFailure('read', error)
      }
    },
    async list(folder) {
      const names: string[] = []
      for await (const name of namesUnder(bucket, `${folder}/`)) names.push(name)
      return names.filter((name) => !name.includes('/')).sort()
    },
    close: async () => bucket.client.destroy(),
  }
}
