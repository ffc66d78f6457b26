import { randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { type FaultyProxy, startFaultyProxy } from '@atoll/testkit/faulty-proxy'
import { createTestBucket, lackingS3, type TestBucket } from '@atoll/testkit/s3-server'
import { silentLog } from '@atoll/testkit/silent-log'
import { DeleteObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { beforeAll, describe, expect, it } from 'vitest'
import { ManualClock } from '../../clock/clock.ts'
import { storageProblem } from '../../db/storage-problem.ts'
import { blobFolder } from '../blob-key.ts'
import { blobMigrations, createSegments } from '../segments.ts'
import { sweep } from '../sweep.ts'
import { inPieces, keysIn, roomy } from '../testing/blob-fixtures.ts'
import { bucketConfig, openStore, partBytes } from '../testing/bucket-fixtures.ts'

const title = (name: string) => (lackingS3 ? `${name} (${lackingS3} is missing)` : name)
const objectOf = (key: string) => `blobs/${blobFolder(key)}/${key}`

describe.skipIf(lackingS3 !== '')(title('a bucket'), () => {
  let bucket: TestBucket
  beforeAll(async () => {
    bucket = await createTestBucket()
  })

  const behind = async (
    more: object = {},
  ): Promise<{ proxy: FaultyProxy; store: Awaited<ReturnType<typeof openStore>> }> => {
    const proxy = await startFaultyProxy(bucket.endpoint)
    const store = await openStore({ ...bucketConfig(bucket), endpoint: proxy.endpoint, ...more })
    return { proxy, store }
  }

  it('sends what is large in parts while it comes in, and what is small at once', async () => {
    const { proxy, store } = await behind()
    proxy.seen.length = 0
    const source = new PassThrough()
    const writing = store.write(source, roomy)
    const bytes = randomBytes(partBytes * 3 + 17)
    source.write(bytes.subarray(0, partBytes * 2))
    await expect.poll(() => proxy.seen.filter(({ line }) => line.includes('partNumber=')).length).toBe(2)
    source.end(bytes.subarray(partBytes * 2))
    const { key } = await writing
    expect(proxy.seen.filter(({ line }) => line.includes('partNumber=')).length).toBe(4)
    expect((await buffer(await store.read(key))).equals(bytes)).toBe(true)
    const middle = { start: partBytes - 5, end: partBytes * 2 + 5 }
    expect((await buffer(await store.read(key, middle))).equals(bytes.subarray(middle.start, middle.end + 1))).toBe(
      true,
    )
    proxy.seen.length = 0
    await store.write(Readable.from([randomBytes(100)]), roomy)
    expect(proxy.seen.map(({ line }) => line.split(' ')[0])).toEqual(['PUT'])
  })

  it('asks again when the store fails for a moment, and loses nothing', async () => {
    const { proxy, store } = await behind()
    const bytes = randomBytes(partBytes * 2 + 1)
    const failed = new Set<string>()
    // Each request fails once: by 500, by 503, or by a connection that breaks.
    const ways = [{ status: 500 }, { status: 503, code: 'SlowDown' }, 'reset'] as const
    proxy.fault = (line) => (failed.size === failed.add(line).size ? undefined : ways[failed.size % ways.length])
    const { key } = await store.write(inPieces(bytes, 65_536), roomy)
    expect((await buffer(await store.read(key))).equals(bytes)).toBe(true)
    expect(failed.size).toBeGreaterThanOrEqual(5)
  })

  it('takes a read up again where its connection broke', async () => {
    const { proxy, store } = await behind()
    const bytes = randomBytes(600_000)
    const { key } = await store.write(inPieces(bytes, 65_536), roomy)
    let cuts = 2
    proxy.fault = (line) => (line.startsWith('GET') && cuts-- > 0 ? { cut: 200_000 } : undefined)
    expect((await buffer(await store.read(key))).equals(bytes)).toBe(true)
    expect(cuts).toBeLessThan(0)
  })

  it('gives a reader an error, never fewer bytes, when the store stays away', async () => {
    const { proxy, store } = await behind()
    const { key } = await store.write(inPieces(randomBytes(600_000), 65_536), roomy)
    proxy.fault = () => ({ cut: 1_000 })
    const reading = await store.read(key, { start: 0, end: 599_999 })
    proxy.fault = () => 'reset'
    const error = await buffer(reading).catch((problem) => problem)
    expect(storageProblem(error)).toBe('away')
  })

  it.each([
    ['answers 503', { status: 503, code: 'ServiceUnavailable' }, 'away'],
    ['gives no answer', 'silence', 'away'],
    ['is full', { status: 507, code: 'InsufficientStorage' }, 'full'],
    ['says that a quota is used up', { status: 403, code: 'QuotaExceeded' }, 'full'],
    ['refuses the key', { status: 403, code: 'InvalidAccessKeyId' }, 'away'],
  ] as const)(
    'tells what to answer when the store %s, without a secret',
    { timeout: 60_000 },
    async (_, fault, problem) => {
      const { proxy, store } = await behind({ attempts: 2, timeoutSeconds: 1 })
      proxy.fault = () => fault
      const error: Error = await store.write(Readable.from([Buffer.from('x')]), roomy).then(
        () => new Error('written'),
        (refusal) => refusal,
      )
      expect(storageProblem(error)).toBe(problem)
      expect(error.message).not.toContain(bucket.secretAccessKey)
      expect(JSON.stringify(error)).not.toContain(bucket.secretAccessKey)
    },
  )

  it('notices bytes that changed in the store', async () => {
    const store = await openStore(bucketConfig(bucket))
    const { key } = await store.write(Readable.from([Buffer.from('as written')]), roomy)
    const at = { Bucket: bucket.bucket, Key: objectOf(key) }
    const { Metadata } = await bucket.client.send(new HeadObjectCommand(at))
    const ofEarlierVersions = { sha256: Metadata?.sha256 ?? '' }
    await bucket.client.send(new PutObjectCommand({ ...at, Metadata: ofEarlierVersions, Body: 'as written' }))
    expect(String(await buffer(await store.read(key)))).toBe('as written')
    for (const kept of [Metadata, ofEarlierVersions]) {
      await bucket.client.send(new PutObjectCommand({ ...at, Metadata: kept, Body: 'as changed' }))
      await expect(store.read(key).then(buffer)).rejects.toThrow('has other bytes than were written')
    }
  })

  it('notices bytes that changed in one part of a large blob, also by a range over it, and reads the others', async () => {
    const store = await openStore(bucketConfig(bucket))
    const bytes = randomBytes(partBytes * 3 + 17)
    const { key } = await store.write(inPieces(bytes, 65_536), roomy)
    const at = { Bucket: bucket.bucket, Key: objectOf(key) }
    const { Metadata } = await bucket.client.send(new HeadObjectCommand(at))
    const changed = Buffer.from(bytes)
    changed[partBytes + 5] = (changed[partBytes + 5] ?? 0) ^ 1
    await bucket.client.send(new PutObjectCommand({ ...at, Metadata, Body: changed }))
    await expect(store.read(key).then(buffer)).rejects.toThrow('has other bytes than were written')
    const over = { start: partBytes - 1, end: partBytes * 2 }
    await expect(store.read(key, over).then(buffer)).rejects.toThrow('has other bytes than were written')
    const behind = { start: partBytes * 2, end: bytes.length - 1 }
    expect((await buffer(await store.read(key, behind))).equals(bytes.subarray(partBytes * 2))).toBe(true)
  })

  it('removes the digests of parts with their blob, and sweeps those that stand alone', async () => {
    await bucket.empty()
    const store = await openStore(bucketConfig(bucket))
    const bytes = randomBytes(partBytes + 1)
    const { key } = await store.write(inPieces(bytes, 65_536), roomy)
    expect(await keysIn(store)).toEqual([key])
    await bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.bucket, Key: objectOf(key) }))
    expect(await keysIn(store)).toEqual([key])
    await store.remove(key)
    expect(await keysIn(store)).toEqual([])
    expect((await bucket.names()).filter((name) => name.includes(key))).toEqual([])
  })

  it('has every write encrypted by the store when told to', async () => {
    const proxy = await startFaultyProxy(bucket.endpoint)
    const store = await openStore({ ...bucketConfig(bucket), endpoint: proxy.endpoint, encryption: 'AES256' })
    proxy.seen.length = 0
    await store.write(Readable.from([Buffer.from('small')]), roomy)
    const { key } = await store.write(inPieces(randomBytes(partBytes * 2), 65_536), roomy)
    const begun = proxy.seen.filter(({ line }) => !line.includes('partNumber=') && !line.includes('uploadId='))
    expect(begun.map(({ headers }) => headers['x-amz-server-side-encryption'])).toEqual(['AES256', 'AES256', 'AES256'])
    expect(await store.size(key)).toBe(partBytes * 2)
  })

  it('keeps to its memory: many large writes at once wait for one another and all end', async () => {
    const store = await openStore({ ...bucketConfig(bucket), memoryMb: 1 })
    const contents = Array.from({ length: 12 }, (_, n) => Buffer.alloc(partBytes * 2 + 1_000, n + 1))
    const written = await Promise.all(contents.map((bytes) => store.write(inPieces(bytes, 50_000), roomy)))
    for (const [n, { key }] of written.entries())
      expect((await buffer(await store.read(key))).equals(contents[n]!)).toBe(true)
  })
})

describe.skipIf(lackingS3 !== '')(title('opening a bucket'), () => {
  it('says what is wrong with the bucket, the key, the secret or the address', async () => {
    const config = bucketConfig(await createTestBucket())
    const refusal = (change: object) => openStore({ ...config, attempts: 1, ...change }).catch((error) => error.message)
    expect(await refusal({ bucket: 'not-there' })).toBe(
      `the bucket not-there at ${config.endpoint} cannot be used: there is no such bucket. Create it, or set blobs.s3.bucket.`,
    )
    expect(await refusal({ secretAccessKey: 'wrong' })).toContain('the secret does not belong to the access key')
    expect(await refusal({ endpoint: 'http://127.0.0.1:9' })).toContain('nothing listens there')
  })

  it('refuses the blobs of another installation, whose sweep would remove them', async () => {
    const bucket = await createTestBucket()
    const config = bucketConfig(bucket)
    await openStore(config)
    await openStore(config)
    const mark = { Bucket: bucket.bucket, Key: 'blobs/atoll-store.json' }
    await bucket.client.send(new PutObjectCommand({ ...mark, Body: '{"store":"another"}' }))
    await expect(openStore(config)).rejects.toThrow('holds the blobs of another installation')
    await openStore({ ...config, prefix: 'elsewhere/' })
    await bucket.client.send(new DeleteObjectCommand(mark))
    await openStore(config)
  })
})

if (lackingS3 === '') {
  describeBothDatabases('the sweep of a bucket', (open) => {
    it('removes what nothing refers to, also uploads given up, and nothing that a node is writing', async () => {
      const db = await open(blobMigrations)
      const bucket = await createTestBucket()
      const clock = new ManualClock()
      const store = await openStore(bucketConfig(bucket), clock)
      const other = await openStore({ ...bucketConfig(bucket), prefix: 'blobs/other/' }, clock)
      const segments = createSegments({ db, blobs: store, log: silentLog })
      const kept = await store.write(Readable.from([Buffer.from('kept')]), roomy)
      await db.transaction((tx) => segments.keep(tx, 'file-1', [kept]))
      await store.write(Readable.from([Buffer.from('orphan')]), roomy)
      const theirs = await other.write(Readable.from([Buffer.from('of another prefix')]), roomy)
      const abandoned = new PassThrough()
      void store.write(abandoned, roomy)
      abandoned.write(randomBytes(partBytes + 1))
      await expect.poll(async () => (await keysIn(store)).length).toBe(3)
      clock.advanceSeconds(3_600)
      const source = new PassThrough()
      const writing = store.write(source, roomy)
      const bytes = randomBytes(partBytes + 1)
      source.write(bytes)
      await expect.poll(async () => (await keysIn(store)).length).toBe(4)
      const swept = await sweep({ db, blobs: store, clock, log: silentLog, graceMs: 3_599_999 })
      expect(swept).toEqual({ scanned: 4, removed: 2 })
      source.end()
      const written = await writing
      expect((await buffer(await store.read(written.key))).equals(bytes)).toBe(true)
      expect(await keysIn(store)).toEqual([kept.key, written.key].sort())
      expect(String(await buffer(await other.read(theirs.key)))).toBe('of another prefix')
    })
  })
}
