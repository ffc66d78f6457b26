// Files on their way into vector stores while the servers are killed again and again: no chunk is missing or there
// twice, no file is left half-way.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { Database } from '@atoll/kernel/db/database'
import { openDatabase } from '@atoll/kernel/db/open'
import type {} from '@atoll/platform/resources/vector-stores/files/store'
import { describePostgres } from '@atoll/testkit/both-targets'
import { createPostgresDatabase } from '@atoll/testkit/postgres'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KilledNodes } from './killed-nodes.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
const files = isLong ? 200 : 14
const mostKills = isLong ? 60 : 1

/** Answers after a moment, so that there is something to interrupt. Texts of the same words have the same vector. */
async function startModel(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { input, dimensions } = JSON.parse(await text(request)) as { input: string[]; dimensions: number }
    await setTimeout(randomInt(5, 40))
    const data = input.map((chunk, index) => {
      const vector = new Float32Array(dimensions).fill(0.01)
      vector[chunk.length % dimensions] = 1
      return { object: 'embedding', index, embedding: Buffer.from(vector.buffer).toString('base64') }
    })
    response.writeHead(200, { 'content-type': 'application/json' })
    const usage = { prompt_tokens: input.length, total_tokens: input.length }
    response.end(JSON.stringify({ object: 'list', data, model: 'stub', usage }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

interface StoreBody {
  id: string
  status: string
  usage_bytes: number
  file_counts: Record<'in_progress' | 'completed' | 'failed' | 'cancelled' | 'total', number>
}

/** Uploads texts of very different lengths; by the id of the file. */
async function upload(nodes: KilledNodes, count: number): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (let index = 0; index < count; index++) {
    const words = index % 4 === 0 ? randomInt(2_000, 20_000) : randomInt(5, 500)
    const content = Array.from({ length: words }, (_, word) => `${index}-${word}`).join(' ')
    const form = new FormData()
    form.set('purpose', 'assistants')
    form.set('file', new Blob([content]), `${index}.txt`)
    texts.set((await nodes.ask<{ id: string }>('POST', '/files', form)).id, content)
  }
  return texts
}

const chunking_strategy = { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 0 } }

/** Kills at random moments until the stores are done. */
async function watch(nodes: KilledNodes, storeIds: string[]): Promise<number> {
  for (let kills = 0; ; ) {
    const stores = await Promise.all(storeIds.map((id) => nodes.ask<StoreBody>('GET', `/vector_stores/${id}`)))
    if (stores.every(({ status }) => status === 'completed')) return kills
    await setTimeout(randomInt(10, 200))
    if (kills >= mostKills || randomInt(3) > 0) continue
    await nodes.killOne()
    kills++
  }
}

/** Every file that is completed has all of its text in chunks that follow one another; no other has any. */
async function verify(db: Database, texts: Map<string, string>): Promise<number> {
  const rows = await db.queries.selectFrom('vector_store_files').selectAll().execute()
  const owners = await db.queries.selectFrom('vector_owners').selectAll().execute()
  const completed = rows.filter(({ status }) => status === 'completed')
  expect(owners.map(({ name }) => name).sort()).toEqual(completed.map(({ id }) => id).sort())
  let chunkCount = 0
  for (const row of completed) {
    const owner = owners.find(({ name }) => name === row.id)?.id ?? 0
    const chunks = await db.queries
      .selectFrom('vector_chunks')
      .select(['ordinal', 'text'])
      .where('owner', '=', owner)
      .orderBy('ordinal')
      .execute()
    expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.map((_, index) => index))
    expect(chunks.map((chunk) => chunk.text).join('') === texts.get(row.file_id)).toBe(true)
    const bytes = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk.text) + 512 * 4, 0)
    expect([row.chunks, row.usage_bytes]).toEqual([chunks.length, bytes])
    chunkCount += chunks.length
  }
  expect(rows.filter(({ status }) => status === 'in_progress')).toEqual([])
  expect(await db.queries.selectFrom('jobs').selectAll().where('kind', 'like', 'vector-store%').execute()).toEqual([])
  return chunkCount
}

let model: Server
let config: string

beforeAll(async () => {
  model = await startModel()
  const { port } = model.address() as AddressInfo
  const stub = { kind: 'upstream', replicas: [`http://127.0.0.1:${port}/v1`], model: 'stub' }
  config = join(await tempDir(), 'atoll.json')
  const models = [{ id: 'text-embedding-3-small', runtime: 'stub' }]
  writeFileSync(config, JSON.stringify({ platform: { runtimes: { stub }, models } }))
})

afterAll(() => model.close())

async function run(name: string, nodes: KilledNodes, open: () => Promise<Database>): Promise<void> {
  await nodes.start()
  const texts = await upload(nodes, files)
  const ids = [...texts.keys()]
  const kept = await nodes.ask<StoreBody>('POST', '/vector_stores', { file_ids: ids, chunking_strategy })
  const left = await nodes.ask<StoreBody>('POST', '/vector_stores', {})
  const body = { file_ids: ids.slice(0, 12), chunking_strategy }
  const batch = await nodes.ask<{ id: string }>('POST', `/vector_stores/${left.id}/file_batches`, body)
  const removed = await nodes.ask<StoreBody>('POST', '/vector_stores', body)
  let kills = 0
  await nodes.killOne()
  const isCancelled = await cancel(nodes, left.id, batch.id)
  await nodes.ask('DELETE', `/vector_stores/${removed.id}`)
  kills += 1 + (await watch(nodes, [kept.id, left.id]))
  const { file_counts } = await nodes.ask<StoreBody>('GET', `/vector_stores/${kept.id}`)
  expect(file_counts).toEqual({ in_progress: 0, completed: files, failed: 0, cancelled: 0, total: files })
  const ended = await nodes.ask<StoreBody>('GET', `/vector_stores/${left.id}`)
  expect(ended.file_counts.completed + ended.file_counts.cancelled).toBe(12)
  await waitForEnd(nodes, left.id, batch.id, isCancelled ? 'cancelled' : 'completed')
  await nodes.settle()
  await nodes.stop()
  const db = await open()
  try {
    const chunks = await verify(db, texts)
    console.log(`vector stores, ${name}: ${files} files, ${chunks} chunks, ${kills} kills, 0 missing, 0 doubled`)
  } finally {
    await db.close()
  }
}

/** False when it had ended before: twelve files can be done while a server starts again. */
async function cancel(nodes: KilledNodes, storeId: string, batchId: string): Promise<boolean> {
  try {
    await nodes.ask('POST', `/vector_stores/${storeId}/file_batches/${batchId}/cancel`)
    return true
  } catch (error) {
    expect((error as Error).message).toContain("its status is 'completed'")
    return false
  }
}

async function waitForEnd(nodes: KilledNodes, storeId: string, batchId: string, end: string): Promise<void> {
  for (;;) {
    const { status } = await nodes.ask<StoreBody>('GET', `/vector_stores/${storeId}/file_batches/${batchId}`)
    if (status === end) return
    expect([status, end]).toEqual(['cancelling', 'cancelled'])
    await setTimeout(50)
  }
}

const timeout = 120_000 + mostKills * 20_000
const what = `end with every chunk stored once (${files} files, up to ${mostKills + 1} kills)`

describe('files for vector stores whose only server is killed', () => {
  it(what, { timeout }, async () => {
    const folder = await tempDir()
    const nodes = new KilledNodes(['--config', config, '--data', folder, '--port', '0'], 1)
    await run('one server', nodes, () => openDatabase({ kind: 'sqlite', folder }, { log: silentLog }))
  })
})

describePostgres('files for vector stores of which one of two servers is killed', () => {
  it(what, { timeout }, async () => {
    const url = await createPostgresDatabase()
    const nodes = new KilledNodes(['--config', config, '--data', await tempDir(), '--port', '0', '--database', url], 2)
    await run('one of two servers', nodes, () => openDatabase({ kind: 'postgres', url }, { log: silentLog }))
  })
})
