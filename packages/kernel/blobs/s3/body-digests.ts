// Signs bodies by digests that were taken while their bytes came in: the client would take them again, all at once.
import type { S3Client } from '@aws-sdk/client-s3'

/** In hexadecimal. */
const digests = new WeakMap<object, string>()

export function withDigest(body: Buffer, sha256: string): Buffer {
  digests.set(body, sha256)
  return body
}

export function useDigests(client: S3Client): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const body = 'Body' in args.input ? args.input.Body : undefined
      const sha256 = typeof body === 'object' ? digests.get(body) : undefined
      // SHA-256 of the body, which the signature covers and the store checks.
      if (sha256 !== undefined) (args.request as SignedRequest).headers['x-amz-content-sha256'] = sha256
      return next(args)
    },
    { step: 'build', name: 'digestsTakenBefore' },
  )
}

interface SignedRequest {
  headers: Record<string, string>
}
