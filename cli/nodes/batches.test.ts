// A batch whose servers are killed again and again: it ends, and every line has exactly one result.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describePostgres } from '@atoll/testkit/both-targets'
import { createPostgresDatabase } from '@atoll/testkit/postgres'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KilledNodes } from './killed-nodes.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
const rounds = isLong ? 50 : 1
const lines = isLong ? 5_000 : 300
const mostKills = isLong ? 4 : 2

interface Counts {
  total: number
  completed: number
  failed: number
}

interface Batch {
  id: string
  status: string
  output_file_id: string | null
  error_file_id: string | null
  request_counts: Counts
}

/** Answers at once; every hundredth request is refused. */
async function startModel(): Promise<Server> {
  let asked = 0
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    const isRefused = ++asked % 100 === 0
    const message = { role: 'assistant', content: 'ok', refusal: null }
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }]
    const answer = { id: 'x', object: 'chat.completion', created: 1, model: 'stub', choices, usage }
    const refusal = { error: { message: 'No.', type: 'invalid_request_error', param: null, code: null } }
    response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isRefused ? refusal : answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function createBatch(nodes: KilledNodes): Promise<string> {
  const line = (index: number): string =>
    JSON.stringify({
      custom_id: `line-${index}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'stub', messages: [{ role: 'user', content: `${index}` }] },
    })
  const form = new FormData()
  form.set('purpose', 'batch')
  form.set('file', new Blob([Array.from({ length: lines }, (_, index) => line(index)).join('\n')]), 'lines.jsonl')
  const file = await nodes.ask<{ id: string }>('POST', '/files', form)
  const request = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' }
  return (await nodes.ask<Batch>('POST', '/batches', request)).id
}

/** Watches the counts, and kills at random moments. */
async function watch(nodes: KilledNodes, id: string): Promise<{ batch: Batch; kills: number }> {
  let before = 0
  let kills = 0
  for (;;) {
    const batch = await nodes.ask<Batch>('GET', `/batches/${id}`)
    const { total, completed, failed } = batch.request_counts
    expect(completed + failed).toBeGreaterThanOrEqual(before)
    expect(completed + failed).toBeLessThanOrEqual(total)
    before = completed + failed
    if (!['validating', 'in_progress', 'finalizing'].includes(batch.status)) return { batch, kills }
    await setTimeout(randomInt(5, 60))
    if (kills < mostKills && randomInt(3) === 0) {
      await nodes.killOne()
      kills++
    }
  }
}

async function customIds(nodes: KilledNodes, fileId: string | null): Promise<string[]> {
  if (fileId === null) return []
  const text = await (await nodes.call('GET', `/files/${fileId}/content`)).text()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).custom_id)
}

let model: Server
let config: string

beforeAll(async () => {
  model = await startModel()
  const { port } = model.address() as AddressInfo
  const stub = { kind: 'upstream', replicas: [`http://127.0.0.1:${port}/v1`], model: 'stub' }
  config = join(await tempDir(), 'atoll.json')
  writeFileSync(config, JSON.stringify({ platform: { runtimes: { stub }, models: [{ id: 'stub', runtime: 'stub' }] } }))
})

afterAll(() => model.close())

async function runRounds(name: string, nodes: KilledNodes): Promise<void> {
  await nodes.start()
  let kills = 0
  for (let round = 0; round < rounds; round++) {
    const watched = await watch(nodes, await createBatch(nodes))
    const { status, output_file_id, error_file_id, request_counts } = watched.batch
    kills += watched.kills
    expect(status).toBe('completed')
    const [output, errors] = [await customIds(nodes, output_file_id), await customIds(nodes, error_file_id)]
    expect([output.length, errors.length]).toEqual([request_counts.completed, request_counts.failed])
    expect(new Set([...output, ...errors]).size).toBe(lines)
    expect(output.length + errors.length).toBe(lines)
  }
  await nodes.stop()
  console.log(`batches, ${name}: ${rounds} rounds of ${lines} lines, ${kills} kills, 0 lost, 0 doubled`)
}

const timeout = 60_000 + rounds * 60_000
const what = `ends with one result for every line (${rounds} rounds of ${lines} lines)`

describe('a batch whose only server is killed', () => {
  it(what, { timeout }, async () => {
    await runRounds('one server', new KilledNodes(['--config', config, '--data', await tempDir(), '--port', '0'], 1))
  })
})

describePostgres('a batch of which one of two servers is killed', () => {
  it(what, { timeout }, async () => {
    const database = ['--database', await createPostgresDatabase()]
    await runRounds(
      'one of two servers',
      new KilledNodes(['--config', config, '--data', await tempDir(), '--port', '0', ...database], 2),
    )
  })
})
