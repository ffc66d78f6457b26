// A real S3-compatible store for tests: OpenStack Swift from Debian's packages, one server to a test process, a new
// bucket to a test.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'

const swift = '/usr/lib/python3/dist-packages/swift/proxy/server.py'
const program = fileURLToPath(new URL('./swift-server.py', import.meta.url))

/** For the name of what is skipped; empty when nothing lacks. */
export const lackingS3 = existsSync(swift) ? '' : 'python3-swift'

export interface S3Server {
  endpoint: string
  accessKeyId: string
  secretAccessKey: string
}

export interface TestBucket extends S3Server {
  bucket: string
  client: S3Client
  /** All that lies in the bucket, and uploads that are under way. */
  names(): Promise<string[]>
  empty(): Promise<void>
}

let shared: Promise<S3Server> | undefined
let buckets = 0

const s3Server = (): Promise<S3Server> => (shared ??= startSwift())

export async function createTestBucket(): Promise<TestBucket> {
  const server = await s3Server()
  const bucket = `test-${process.pid}-${++buckets}`
  const { endpoint, ...credentials } = server
  const client = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const underWay = async () => (await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? []
  const names = async () => {
    const uploads = (await underWay()).map(({ Key }) => `${Key} under way`)
    return [...(await namesIn(client, bucket)), ...uploads]
  }
  const empty = async () => {
    for (const { Key, UploadId } of await underWay()) {
      await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }))
    }
    for (const Key of await namesIn(client, bucket)) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }))
  }
  return { ...server, bucket, client, names, empty }
}

async function namesIn(client: S3Client, bucket: string): Promise<string[]> {
  const names: string[] = []
  let token: string | undefined
  do {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token }))
    for (const { Key } of page.Contents ?? []) names.push(Key ?? '')
    token = page.NextContinuationToken
  } while (token !== undefined)
  return names
}

async function startSwift(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-swift-'))
  const secretAccessKey = randomBytes(16).toString('hex')
  const log = join(folder, 'log')
  const args = [folder, 'tester', secretAccessKey, randomBytes(32).toString('base64')]
  // Ends with this process, however that ends: its standard input is then closed.
  const child = spawn(
    '/bin/sh',
    ['-c', 'log=$1; shift; exec /usr/bin/python3 "$@" 2>"$log"', 'sh', log, program, ...args],
    {
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  )
  child.unref()
  const lines = createInterface(child.stdout)
  const first = await Promise.race([
    once(lines, 'line').then(([line]) => Number(line)),
    once(child, 'exit').then(async () => {
      throw new Error(`Swift did not start: ${await readFile(log, 'utf8')}`)
    }),
  ])
  // Nor do its pipes keep this process from its end: a benchmark would wait for ever.
  lines.close()
  for (const pipe of [child.stdin, child.stdout]) (pipe as Socket).unref()
  return { endpoint: `http://127.0.0.1:${first}`, accessKeyId: 'test:tester', secretAccessKey }
}
