// Large files: what a gigabyte costs against a bare stream to disk, and what it costs to join 128 parts.
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type AtollServer, cpuSeconds, peakBytes, resetPeak, residentBytes, spawnServer } from './atoll-server.ts'
import { bareServer } from './bare-server.ts'
import { median, spreadPercent } from './measure.ts'

const megabyte = 1024 * 1024
const rounds = 3
const uploadBytes = 1024 * megabyte
const partBytes = 64 * megabyte
const joinedParts = 128
const joinRounds = 3

export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-bare-'))
  const atoll = await spawnServer()
  try {
    await measureStreaming(atoll, folder)
    await measureJoining(atoll)
  } finally {
    await atoll.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** One gigabyte, as an upload of 16 parts of 64 MB: the largest the interface takes in one piece. */
async function measureStreaming(atoll: AtollServer, folder: string): Promise<void> {
  const bare = await bareServer({ store: folder })
  const ours: number[] = []
  const theirs: number[] = []
  const before = residentBytes(atoll.process)
  resetPeak(atoll.process)
  try {
    for (let round = 0; round < rounds; round++) {
      const bareBefore = cpuSeconds(bare.process)
      for (let sent = 0; sent < uploadBytes; sent += partBytes) await post(`${bare.url}/`, {}, partBytes)
      theirs.push(cpuSeconds(bare.process) - bareBefore)
      for (const name of await readdir(folder)) await rm(join(folder, name))
      const atollBefore = cpuSeconds(atoll.process)
      const { upload, partIds } = await sendParts(atoll, uploadBytes / partBytes)
      ours.push(cpuSeconds(atoll.process) - atollBefore)
      await finishAndDelete(atoll, upload, partIds)
    }
  } finally {
    await bare.close()
  }
  const ratio = median(ours) / median(theirs)
  const growth = Math.round((peakBytes(atoll.process) - before) / 1e6)
  console.log(`Uploading 1 GB, ${rounds} rounds, alternating`)
  console.log(
    `  server CPU: atoll ${cpu(ours)}, bare stream to disk ${cpu(theirs)}; ratio ${ratio.toFixed(2)} (goal at most 1.4)`,
  )
  console.log(`  memory: grew by at most ${growth} MB (goal under 64)`)
}

async function measureJoining(atoll: AtollServer): Promise<void> {
  const times: number[] = []
  let copied = 0
  for (let round = 0; round < joinRounds; round++) {
    const { upload, partIds } = await sendParts(atoll, joinedParts)
    const writtenBefore = writtenBytes(atoll)
    const started = performance.now()
    const file = await complete(atoll, upload, partIds)
    times.push(performance.now() - started)
    copied = Math.max(copied, writtenBytes(atoll) - writtenBefore)
    await call(atoll, 'DELETE', `/v1/files/${file}`)
  }
  console.log(`Completing an upload of ${joinedParts} parts of 64 MB, ${joinRounds} rounds`)
  console.log(
    `  ${median(times).toFixed(1)} ms ±${spreadPercent(times)}% (goal under 100); at most ${(copied / 1e6).toFixed(1)} MB written for 8,590 MB joined`,
  )
}

const writtenBytes = (atoll: AtollServer): number =>
  Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${atoll.process.pid}/io`, 'utf8'))?.[1])

async function sendParts(atoll: AtollServer, count: number): Promise<{ upload: string; partIds: string[] }> {
  const created = { purpose: 'fine-tune', filename: 'big.jsonl', bytes: count * partBytes }
  const { id: upload } = await call(atoll, 'POST', '/v1/uploads', created)
  const partIds: string[] = []
  for (let part = 0; part < count; part++) partIds.push(await sendPart(atoll, upload))
  return { upload, partIds }
}

async function sendPart(atoll: AtollServer, upload: string): Promise<string> {
  const boundary = 'atoll-bench'
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="data"; filename="part"\r\ncontent-type: application/octet-stream\r\n\r\n`,
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const headers = {
    authorization: `Bearer ${atoll.apiKey}`,
    'content-type': `multipart/form-data; boundary=${boundary}`,
  }
  return JSON.parse(await post(`${atoll.url}/v1/uploads/${upload}/parts`, headers, partBytes, head, tail)).id
}

interface Answer {
  id: string
  file: { id: string }
}

const chunk = Buffer.alloc(megabyte, 'atoll measures what a gigabyte costs\n')

function post(
  url: string,
  headers: Record<string, string>,
  bytes: number,
  head = Buffer.alloc(0),
  tail = Buffer.alloc(0),
): Promise<string> {
  return new Promise((resolve, reject) => {
    const length = head.length + bytes + tail.length
    const outgoing = request(
      url,
      { method: 'POST', headers: { ...headers, 'content-length': length } },
      async (response) => {
        const text = Buffer.concat(await response.toArray()).toString()
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`${response.statusCode}: ${text}`))
      },
    )
    outgoing.on('error', reject)
    const pieces = function* () {
      yield head
      for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk
      yield tail
    }
    pipeline(Readable.from(pieces()), outgoing).catch(reject)
  })
}

async function complete(atoll: AtollServer, upload: string, partIds: string[]): Promise<string> {
  const { file } = await call(atoll, 'POST', `/v1/uploads/${upload}/complete`, { part_ids: partIds })
  return file.id
}

async function finishAndDelete(atoll: AtollServer, upload: string, partIds: string[]): Promise<void> {
  await call(atoll, 'DELETE', `/v1/files/${await complete(atoll, upload, partIds)}`)
}

async function call(atoll: AtollServer, method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(atoll.url + path, {
    method,
    headers: { authorization: `Bearer ${atoll.apiKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json() as Promise<Answer>
}

const cpu = (values: number[]): string => `${median(values).toFixed(2)} s ±${spreadPercent(values)}%`
