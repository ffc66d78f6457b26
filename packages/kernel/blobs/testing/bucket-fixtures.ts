// A store in a bucket of a real server, with parts so small that tests have many of them.
import { createTestBucket, type TestBucket } from '@atoll/testkit/s3-server'
import { ManualClock } from '../../clock/clock.ts'
import type { S3Config } from '../../config/blob-config.ts'
import { createIds } from '../../ids/ids.ts'
import { openBucket } from '../s3/open-bucket.ts'
import { createS3Store } from '../s3/s3-store.ts'
import type { StoreUnderTest } from './blob-fixtures.ts'

export const partBytes = 256 * 1024
const megabytes = 64
const storeId = 'of-the-tests'

export function bucketConfig({ bucket, endpoint, accessKeyId, secretAccessKey }: TestBucket): S3Config {
  const limits = { partMb: 5, memoryMb: megabytes, timeoutSeconds: 5, attempts: 4, redirects: false }
  return { bucket, endpoint, region: 'us-east-1', prefix: 'blobs/', accessKeyId, secretAccessKey, ...limits }
}

export async function openStore(config: S3Config, clock = new ManualClock()) {
  const bucket = await openBucket(config, storeId)
  return createS3Store(bucket, { ...config, partBytes }, clock, createIds(clock))
}

export async function openTestBucketStore(): Promise<StoreUnderTest & { bucket: TestBucket }> {
  const bucket = await createTestBucket()
  const clock = new ManualClock()
  const reopen = () => openStore(bucketConfig(bucket), clock)
  const names = async () => (await bucket.names()).filter((name) => !name.endsWith('atoll-store.json'))
  return {
    bucket,
    clock,
    blobs: await reopen(),
    names,
    reopen,
    borders: [0, 1, partBytes, 3 * partBytes],
    runs: 12,
    empty: () => bucket.empty(),
  }
}
