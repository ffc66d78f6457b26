// A blob into a bucket and out again by the store, against the client alone; and what a gigabyte adds to memory.
import { Readable } from 'node:stream'
import type { BlobStore } from '@atoll/kernel/blobs/blobs'
import { openBucket } from '@atoll/kernel/blobs/s3/open-bucket'
import { createS3Store, storeSettings } from '@atoll/kernel/blobs/s3/s3-store'
import { systemClock } from '@atoll/kernel/clock/clock'
import { s3Config } from '@atoll/kernel/config/blob-config'
import { createIds } from '@atoll/kernel/ids/ids'
import { createTestBucket, lackingS3, type TestBucket } from '@atoll/testkit/s3-server'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { median, spreadPercent } from './measure.ts'

const megabyte = 1024 * 1024
const blobMb = 128
const partMb = 8
const runs = 3
const goal = 0.8
const longMb = 1_024
const memoryGoalMb = 64

export const bench = (): Promise<void> => measureBucket(longMb)

/** `memoryMb`: the size of the blob whose way in and out must not be seen in memory. */
export async function measureBucket(memoryMb: number): Promise<void> {
  if (lackingS3 !== '') throw new Error(`This benchmark needs ${lackingS3}: apt-get install ${lackingS3}`)
  const test = await createTestBucket()
  const { bucket, endpoint, accessKeyId, secretAccessKey } = test
  const config = s3Config.parse({ bucket, endpoint, accessKeyId, secretAccessKey, prefix: 'blobs', partMb })
  const opened = await openBucket(config, 'of-the-bench')
  const store = createS3Store(opened, storeSettings(config), systemClock, createIds(systemClock))
  const ratios = { up: [] as number[], down: [] as number[] }
  for (let run = 1; run <= runs; run++) {
    const bareUp = await seconds(() => putAlone(test, `bare-${run}`))
    let key = ''
    const up = await seconds(async () => {
      key = (await store.write(bytes(blobMb), { maxBytes: blobMb * megabyte })).key
    })
    const bareDown = await seconds(async () => {
      const { Body } = await test.client.send(new GetObjectCommand({ Bucket: bucket, Key: `bare-${run}` }))
      await readAll(Body as Readable)
    })
    const down = await seconds(async () => readAll(await store.read(key)))
    ratios.up.push(bareUp / up)
    ratios.down.push(bareDown / down)
    const rate = (time: number) => `${(blobMb / time).toFixed(0)} MB/s`
    console.log(`  run ${run}: up ${rate(up)} (alone ${rate(bareUp)}), down ${rate(down)} (alone ${rate(bareDown)})`)
    await store.remove(key)
  }
  for (const [way, values] of Object.entries(ratios)) {
    const verdict = median(values) >= goal ? 'reached' : 'missed'
    console.log(
      `  ${way}: ${median(values).toFixed(2)} ± ${spreadPercent(values)} % of the rate (goal ${goal}: ${verdict})`,
    )
  }
  await memory(store, memoryMb)
  opened.client.destroy()
  test.client.destroy()
}

async function memory(store: BlobStore, megabytes: number): Promise<void> {
  const before = process.memoryUsage.rss()
  let most = before
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20)
  const { key } = await store.write(bytes(megabytes), { maxBytes: megabytes * megabyte })
  await readAll(await store.read(key))
  clearInterval(timer)
  await store.remove(key)
  const grown = (most - before) / megabyte
  const verdict = grown < memoryGoalMb ? 'reached' : 'missed'
  console.log(
    `  memory: ${grown.toFixed(0)} MB more at ${megabytes} MB up and down (goal under ${memoryGoalMb}: ${verdict})`,
  )
}

/** The same parts by the client alone, two at once. */
async function putAlone({ client, bucket }: TestBucket, Key: string): Promise<void> {
  const place = { Bucket: bucket, Key }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(place))
  const Parts: { PartNumber: number; ETag: string | undefined }[] = []
  let next = 1
  const lane = async () => {
    for (let PartNumber = next++; PartNumber <= blobMb / partMb; PartNumber = next++) {
      const Body = Buffer.alloc(partMb * megabyte, PartNumber)
      const { ETag } = await client.send(new UploadPartCommand({ ...place, UploadId, PartNumber, Body }))
      Parts.push({ PartNumber, ETag })
    }
  }
  await Promise.all([lane(), lane()])
  Parts.sort((a, b) => a.PartNumber - b.PartNumber)
  await client.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } }))
}

function bytes(megabytes: number): Readable {
  const chunk = Buffer.alloc(65_536, 7)
  let left = (megabytes * megabyte) / chunk.length
  return new Readable({
    read() {
      this.push(left-- > 0 ? chunk : null)
    },
  })
}

async function readAll(source: Readable): Promise<void> {
  for await (const _ of source);
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}
