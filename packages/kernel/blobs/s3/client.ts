// The client of the bucket: its limits of time, its retries, and what every request carries.
import { S3Client } from '@aws-sdk/client-s3'
import type { S3Config } from '../../config/blob-config.ts'
import { useDigests } from './body-digests.ts'

const connectMs = 5_000
/** Answers that clients read slowly hold their connections. */
const maxSockets = 1_000

export function createS3Client(config: S3Config): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey, timeoutSeconds, attempts } = config
  const isStatic = accessKeyId !== undefined && secretAccessKey !== undefined
  const client = new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: config.pathStyle ?? endpoint !== undefined,
    ...(isStatic && { credentials: { accessKeyId, secretAccessKey } }),
    maxAttempts: attempts,
    // Bodies are signed by their SHA-256, which every store checks; later kinds of checksums are unknown to many.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    followRegionRedirects: endpoint === undefined,
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: timeoutSeconds * 1_000,
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    },
  })
  useDigests(client)
  return client
}
