// What the bucket or the way to it answered, in words of the store: without the request, which is signed.
import { S3ServiceException } from '@aws-sdk/client-s3'

export class BucketFailure extends Error {
  /** As `storageProblem` reads it. */
  readonly code: 'BUCKET_FULL' | 'BUCKET_AWAY'
  readonly status: number | undefined
  /** The store's own word for it. */
  readonly reason: string

  constructor(doing: string, error: unknown) {
    const { reason, status } = described(error)
    super(`The bucket did not let us ${doing}: ${reason}${status === undefined ? '' : ` (HTTP ${status})`}.`)
    this.name = 'BucketFailure'
    this.reason = reason
    this.status = status
    this.code = isFull(reason, status) ? 'BUCKET_FULL' : 'BUCKET_AWAY'
  }
}

/** The same error where somebody gave up on purpose. */
export function bucketFailure(doing: string, error: unknown): Error {
  if (error instanceof BucketFailure) return error
  if (error instanceof Error && error.name === 'AbortError') return error
  return new BucketFailure(doing, error)
}

export function isAbsent(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false
  return error.name !== 'NoSuchBucket' && error.$metadata.httpStatusCode === 404
}

const fullReasons = /quota|storagefull|insufficientstorage|TooManyParts/i
const insufficientStorage = 507

const isFull = (reason: string, status: number | undefined): boolean =>
  status === insufficientStorage || fullReasons.test(reason)

function described(error: unknown): { reason: string; status: number | undefined } {
  if (error instanceof S3ServiceException) return { reason: error.name, status: error.$metadata.httpStatusCode }
  const { code, name, message } = error as NodeJS.ErrnoException
  return {
    reason: code ?? (name === 'TimeoutError' ? 'it gave no answer in time' : (message ?? String(error))),
    status: undefined,
  }
}
