// Batches: what a line costs besides its model, what a large file costs, and what people notice of a batch.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openAsBlob, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type AtollServer, cpuSeconds, peakBytes, resetPeak, residentBytes, spawnServer } from './atoll-server.ts'
import { median } from './measure.ts'

const lines = 50_000
const largeBytes = 200 * 1024 ** 2
const embeddingLines = 2_000
const firstTokenRounds = 9

interface Batch {
  id: string
  status: string
  in_progress_at: number | null
  request_counts: { total: number; completed: number; failed: number }
}

export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-batches-'))
  const stub = fork(fileURLToPath(new URL('./upstream-stub-process.ts', import.meta.url)))
  try {
    const [port] = (await once(stub, 'message')) as [number]
    const config = join(folder, 'atoll.json')
    const runtimes = { stub: { kind: 'upstream', replicas: [`http://127.0.0.1:${port}/v1`], model: 'stub' } }
    const models = [
      { id: 'stub', runtime: 'stub' },
      { id: 'atoll-chat', runtime: 'builtin-atoll-chat' },
      { id: 'text-embedding-3-small', runtime: 'builtin-embeddings' },
    ]
    writeFileSync(config, JSON.stringify({ platform: { runtimes, models } }))
    const server = await spawnServer(['--config', config])
    try {
      await showLineCost(server, folder)
      await showLargeFile(server, folder)
      await showEmbeddings(server, folder)
      await showFirstToken(server, folder)
    } finally {
      await server.close()
    }
  } finally {
    stub.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

const chatLine = (index: number, model: string, content: string, more = ''): string =>
  `{"custom_id":"${index}","method":"POST","url":"/v1/chat/completions","body":{"model":"${model}"${more},"messages":[{"role":"user","content":"${content}"}]}}\n`

async function showLineCost(server: AtollServer, folder: string): Promise<void> {
  const file = join(folder, 'many.jsonl')
  writeFileSync(file, Array.from({ length: lines }, (_, index) => chatLine(index, 'stub', 'hello')).join(''))
  const [idle, cpu, began] = [residentBytes(server.process), cpuSeconds(server.process), performance.now()]
  resetPeak(server.process)
  const { request_counts } = await run(server, file, '/v1/chat/completions')
  const used = cpuSeconds(server.process) - cpu
  console.log(
    `  ${lines} lines against a stub: ${((performance.now() - began) / 1000).toFixed(1)} s, ${JSON.stringify(request_counts)}`,
  )
  console.log(`  CPU of the server: ${((used * 1000) / lines).toFixed(2)} ms a line (goal 0.4)`)
  console.log(`  memory: grew by ${Math.round((peakBytes(server.process) - idle) / 1e6)} MB`)
}

/** Validated, then cancelled. */
async function showLargeFile(server: AtollServer, folder: string): Promise<void> {
  const file = join(folder, 'large.jsonl')
  const filling = 'word '.repeat(830)
  const count = Math.floor((largeBytes - 1) / chatLine(0, 'stub', filling).length) - 100
  writeFileSync(file, Array.from({ length: count }, (_, index) => chatLine(index, 'stub', filling)).join(''))
  const fileId = await upload(server, file)
  const idle = residentBytes(server.process)
  resetPeak(server.process)
  const began = performance.now()
  const batch = await create(server, fileId, '/v1/chat/completions')
  await until(server, batch.id, ({ status }) => status !== 'validating')
  console.log(
    `  ${(largeBytes / 1e6).toFixed(0)} MB in ${count} lines looked through in ${((performance.now() - began) / 1000).toFixed(1)} s (goal 10)`,
  )
  console.log(`  memory: grew by ${Math.round((peakBytes(server.process) - idle) / 1e6)} MB (goal under 150)`)
  await call(server, 'POST', `/batches/${batch.id}/cancel`)
  await until(server, batch.id, ({ status }) => status === 'cancelled')
}

async function showEmbeddings(server: AtollServer, folder: string): Promise<void> {
  const texts = Array.from({ length: embeddingLines }, (_, index) => `The ${index} cats found a letter in the garden`)
  const body = (input: string): object => ({ model: 'text-embedding-3-small', input, encoding_format: 'base64' })
  const line = (input: string, index: number): string =>
    `${JSON.stringify({ custom_id: `${index}`, method: 'POST', url: '/v1/embeddings', body: body(input) })}\n`
  const file = join(folder, 'embeddings.jsonl')
  writeFileSync(file, texts.map(line).join(''))
  await call(server, 'POST', '/embeddings', body('warm'))
  const library = await bareSeconds(texts)
  const began = performance.now()
  await run(server, file, '/v1/embeddings')
  const ours = (performance.now() - began) / 1000
  console.log(
    `  ${embeddingLines} embeddings, one a line: ${(embeddingLines / ours).toFixed(0)}/s; the library in one go ${(embeddingLines / library).toFixed(0)}/s; ratio ${(library / ours).toFixed(2)} (goal 0.85)`,
  )
}

async function bareSeconds(texts: string[]): Promise<number> {
  const child: ChildProcess = fork(fileURLToPath(new URL('./embeddings-bare-process.ts', import.meta.url)))
  await once(child, 'spawn')
  child.send(texts.slice(0, 64))
  await once(child, 'message')
  child.send(texts)
  const [{ seconds }] = (await once(child, 'message')) as [{ seconds: number }]
  child.disconnect()
  return seconds
}

async function showFirstToken(server: AtollServer, folder: string): Promise<void> {
  const file = join(folder, 'chat.jsonl')
  writeFileSync(
    file,
    Array.from({ length: 3_000 }, (_, index) =>
      chatLine(index, 'atoll-chat', `Tell me a story about ${index} foxes.`, ',"max_tokens":60'),
    ).join(''),
  )
  await firstTokenMs(server)
  const idle = await medianFirstToken(server)
  const batch = await create(server, await upload(server, file), '/v1/chat/completions')
  await until(server, batch.id, ({ request_counts }) => request_counts.completed > 20)
  const busy = await medianFirstToken(server)
  await call(server, 'POST', `/batches/${batch.id}/cancel`)
  console.log(
    `  first token of a chat: ${idle.toFixed(0)} ms idle, ${busy.toFixed(0)} ms beside a batch; ${(busy / idle).toFixed(1)} times (goal 2)`,
  )
}

async function medianFirstToken(server: AtollServer): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < firstTokenRounds; round++) times.push(await firstTokenMs(server))
  return median(times)
}

async function firstTokenMs(server: AtollServer): Promise<number> {
  const began = performance.now()
  const messages = [{ role: 'user', content: `What is the capital of Portugal? (${Math.random()})` }]
  const response = await call(server, 'POST', '/chat/completions', {
    model: 'atoll-chat',
    messages,
    stream: true,
    max_tokens: 5,
  })
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) {
    if (/"content":"[^"]/.test(decoder.decode(bytes))) return performance.now() - began
  }
  return performance.now() - began
}

async function run(server: AtollServer, file: string, endpoint: string): Promise<Batch> {
  const { id } = await create(server, await upload(server, file), endpoint)
  return until(server, id, ({ status }) => ['completed', 'failed'].includes(status))
}

async function upload(server: AtollServer, file: string): Promise<string> {
  const form = new FormData()
  form.set('purpose', 'batch')
  form.set('file', await openAsBlob(file), 'lines.jsonl')
  return ((await (await call(server, 'POST', '/files', form)).json()) as { id: string }).id
}

async function create(server: AtollServer, input_file_id: string, endpoint: string): Promise<Batch> {
  const request = { input_file_id, endpoint, completion_window: '24h' }
  return (await (await call(server, 'POST', '/batches', request)).json()) as Batch
}

async function until(server: AtollServer, id: string, isThere: (batch: Batch) => boolean): Promise<Batch> {
  for (;;) {
    const batch = (await (await call(server, 'GET', `/batches/${id}`)).json()) as Batch
    if (isThere(batch)) return batch
    await setTimeout(100)
  }
}

async function call({ url, apiKey }: AtollServer, method: string, path: string, body?: object): Promise<Response> {
  const isForm = body instanceof FormData
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return response
}
