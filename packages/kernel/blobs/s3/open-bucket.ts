// Looks at the start whether the bucket is there, lets us read, write and remove, and is nobody else's.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { S3Config } from '../../config/blob-config.ts'
import { Bucket } from './bucket.ts'
import { checksumsOf } from './checksums.ts'
import { BucketFailure, bucketFailure, isAbsent } from './failure.ts'

/** Says whose blobs lie under the prefix: the sweep of another installation would remove them all. */
const markName = 'atoll-store.json'
const maxMarkBytes = 1_000

/** `storeId` is kept in the database whose rows refer to the blobs. */
export async function openBucket(config: S3Config, storeId: string): Promise<Bucket> {
  const bucket = await lookAtBucket(config, storeId)
  try {
    await claim(bucket, storeId)
    return bucket
  } catch (error) {
    bucket.client.destroy()
    if (error instanceof BucketNotOurs) throw error
    throw new BucketUnusable(config, bucketFailure('open it', error))
  }
}

/** Changes nothing. With a `storeId`, a bucket that holds the blobs of another is refused. */
export async function lookAtBucket(config: S3Config, storeId: string | undefined): Promise<Bucket> {
  const bucket = new Bucket(config)
  try {
    await bucket.client.send(new ListObjectsV2Command({ Bucket: bucket.name, Prefix: bucket.prefix, MaxKeys: 1 }))
    const owner = storeId === undefined ? undefined : await readMark(bucket)
    if (owner !== undefined && owner !== storeId) throw new BucketNotOurs(bucket)
    return bucket
  } catch (error) {
    bucket.client.destroy()
    if (error instanceof BucketNotOurs) throw error
    throw new BucketUnusable(config, bucketFailure('open it', error))
  }
}

/** Undefined when the bucket answers. */
export async function bucketProblem(bucket: Bucket): Promise<string | undefined> {
  try {
    await readMark(bucket)
    return undefined
  } catch (error) {
    return `The bucket of blobs cannot be used now: ${bucketFailure('look', error).message}`
  }
}

async function claim(bucket: Bucket, storeId: string): Promise<void> {
  const found = await readMark(bucket)
  // Written at every start: the right to write is known before anybody relies on it.
  if (found === undefined || found === storeId) await writeMark(bucket, storeId)
  const owner = await readMark(bucket)
  if (owner !== storeId) throw new BucketNotOurs(bucket)
}

async function readMark(bucket: Bucket): Promise<string | undefined> {
  try {
    const { Body, ContentLength = 0 } = await bucket.client.send(new GetObjectCommand(bucket.at(markName)))
    if (!(Body instanceof Readable)) return undefined
    if (ContentLength > maxMarkBytes) {
      Body.destroy()
      return ''
    }
    const { store } = JSON.parse(String(await buffer(Body))) as { store?: unknown }
    return typeof store === 'string' ? store : ''
  } catch (error) {
    if (isAbsent(error)) return undefined
    if (error instanceof SyntaxError) return ''
    throw error
  }
}

async function writeMark(bucket: Bucket, storeId: string): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify({ store: storeId })}\n`)
  await bucket.put(markName, { bytes, ...checksumsOf(bytes) })
}

const advice: Record<string, string> = {
  NoSuchBucket: 'there is no such bucket. Create it, or set blobs.s3.bucket',
  InvalidAccessKeyId: 'the store does not know this access key. Set blobs.s3.accessKeyId',
  SignatureDoesNotMatch: 'the secret does not belong to the access key. Set blobs.s3.secretAccessKey',
  AccessDenied: 'the access key may not list, read and write there',
  CredentialsProviderError: 'no access key was found. Set blobs.s3.accessKeyId and blobs.s3.secretAccessKey',
  RequestTimeTooSkewed: "this machine's clock is wrong",
  PermanentRedirect: 'the bucket lies in another region. Set blobs.s3.region',
  AuthorizationHeaderMalformed: 'the bucket lies in another region. Set blobs.s3.region',
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its host cannot be looked up now',
}

class BucketUnusable extends Error {
  constructor({ bucket, endpoint, region }: S3Config, problem: Error) {
    const reason = problem instanceof BucketFailure ? problem.reason : problem.message
    const place = endpoint ?? `Amazon's ${region}`
    super(`the bucket ${bucket} at ${place} cannot be used: ${advice[reason] ?? problem.message.replace(/\.$/, '')}.`)
    this.name = 'BucketUnusable'
  }
}

class BucketNotOurs extends Error {
  constructor({ name, prefix }: Bucket) {
    const place = prefix === '' ? `the bucket ${name}` : `${prefix} of the bucket ${name}`
    super(
      `${place} holds the blobs of another installation, whose database refers to them. ` +
        'Set another blobs.s3.prefix, or use the database that belongs to it.',
    )
    this.name = 'BucketNotOurs'
  }
}
