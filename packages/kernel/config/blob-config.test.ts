import { describe, expect, it } from 'vitest'
import type { ConfigError } from './config-error.ts'
import { kernelConfig } from './kernel-config.ts'
import { loadConfig } from './load-config.ts'

const schema = kernelConfig(['platform'])
const secret = 'wJalrXUtnFEMI'
const access = { ATOLL_S3_ACCESS_KEY_ID: 'AKIAEXAMPLE', ATOLL_S3_SECRET_ACCESS_KEY: secret }

const problems = (env: Record<string, string>) =>
  loadConfig(schema, { env }).then(
    () => [],
    (error: ConfigError) => error.problems,
  )

describe('where blobs lie', () => {
  it('is a folder unless told, and a bucket by the environment alone', async () => {
    expect((await loadConfig(schema, { env: {} })).blobs).toEqual({})
    const env = { ATOLL_S3_BUCKET: 'atoll', ATOLL_S3_ENDPOINT: 'https://s3.example.com', ...access }
    const { blobs } = await loadConfig(schema, { env })
    expect(blobs.s3).toMatchObject({ bucket: 'atoll', region: 'us-east-1', prefix: '', partMb: 8, attempts: 4 })
    expect(blobs.s3?.secretAccessKey).toBe(secret)
  })

  it('is refused with the name of what is wrong, and never with a secret', async () => {
    const bucket = { ATOLL_S3_BUCKET: 'atoll' }
    expect(await problems({ ATOLL_S3_BUCKET: 'No Bucket' })).toEqual([
      expect.stringContaining("blobs.s3.bucket: expected a bucket's name"),
    ])
    expect(await problems({ ATOLL_S3_ENDPOINT: 'https://s3.example.com' })).toEqual([
      expect.stringContaining('blobs.s3.bucket: missing'),
    ])
    for (const endpoint of [
      's3.example.com',
      'https://user:pw@s3.example.com',
      'https://s3.example.com/path',
      'ftp://x',
    ]) {
      expect(await problems({ ...bucket, ATOLL_S3_ENDPOINT: endpoint })).toEqual([
        expect.stringContaining('blobs.s3.endpoint: expected an address'),
      ])
    }
    for (const prefix of ['/atoll', 'a//b', 'ü']) {
      expect(await problems({ ...bucket, ATOLL_S3_PREFIX: prefix })).toHaveLength(1)
    }
    const half = await problems({ ...bucket, ATOLL_S3_SECRET_ACCESS_KEY: secret })
    expect(half).toHaveLength(1)
    expect(half.join()).not.toContain(secret)
  })
})
