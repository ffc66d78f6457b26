// Nothing a caller sends may yield a 5xx or stop the server.
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { writeRandomModel } from '@atoll/models/testing/random-gguf'
import { tempDir } from '@atoll/testkit/temp-dir'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'
import { listBlobs } from '../testing/requests.ts'
import { waitUntil } from '../testing/wait-until.ts'
import { fuzzModels } from './near-valid.ts'
import { type WildRequest, wildRequest } from './requests.ts'

const long = process.env.ATOLL_TEST_LONG === '1'
const requestCases = long ? 100_000 : 2_000
const socketCases = long ? 20_000 : 500
const atOnce = 32

interface Answer {
  status: number
  requestId: string | undefined
  type: string
  text: string
}

function send(url: string, agent: Agent, wild: WildRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const { method, path, body } = wild
    const length: Record<string, number> = body ? { 'content-length': body.length } : {}
    const headers = { ...wild.headers, ...length }
    const outgoing = request({ hostname, port, method, path, headers, agent }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString()
      const { 'x-request-id': id, 'content-type': type = '' } = response.headers
      resolve({ status: response.statusCode ?? 0, requestId: id as string | undefined, type, text })
    })
    outgoing.setTimeout(20_000, () => outgoing.destroy(new Error('no answer within 20 s')))
    outgoing.on('error', reject)
    outgoing.on('upgrade', () => reject(new Error('upgraded')))
    outgoing.end(body)
  })
}

function check(wild: WildRequest, answer: Answer): void {
  const shown = JSON.stringify({ ...wild, body: wild.body?.toString('latin1').slice(0, 500), answer })
  if (answer.status >= 500 || answer.status < 200) throw new Error(`answered ${answer.status}: ${shown}`)
  if (!answer.requestId) throw new Error(`no request id: ${shown}`)
  if (answer.status < 400 || wild.method === 'HEAD') return
  const { error } = JSON.parse(answer.text)
  const wellFormed =
    error && typeof error.message === 'string' && error.message !== '' && typeof error.type === 'string'
  if (!wellFormed || !('param' in error) || !('code' in error)) throw new Error(`no error body: ${shown}`)
}

async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  const lane = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

/** Bytes that are no HTTP, or stop being it half-way. */
const rawBytes = (apiKey: string): fc.Arbitrary<string> => {
  const head = (line: string) => `${line}\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n`
  return fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(
      'GET / HTTP/9.9\r\n\r\n',
      'GET /v1/models HTTP/1.1\r\n\r\n',
      `${head('GET /v1/models HTTP/1.1')}x: ${'y'.repeat(100_000)}\r\n\r\n`,
      `${head('POST /v1/uploads HTTP/1.1')}content-length: -5\r\n\r\n`,
      `${head('POST /v1/uploads HTTP/1.1')}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\nhello`,
      `${head('POST /v1/uploads HTTP/1.1')}transfer-encoding: chunked\r\n\r\nzz\r\n`,
      `${head('POST /v1/files HTTP/1.1')}content-type: multipart/form-data; boundary=b\r\ncontent-length: 1000\r\n\r\n--b\r\n`,
      `${head('BREW /v1/models HTTP/1.1')}\r\n`,
      `${head('GET /v1/models HTTP/1.1')}upgrade: h2c\r\nconnection: upgrade\r\n\r\n`,
    ),
    fc
      .tuple(fc.constantFrom('GET', 'POST', 'QUERY'), fc.string({ unit: 'binary-ascii', maxLength: 60 }), fc.nat(200))
      .map(([method, path, cut]) => `${head(`${method} /${path} HTTP/1.1`)}content-length: 10\r\n\r\n{}`.slice(0, cut)),
  )
}

/** Sends and ends; resolves with what came back once the server closed or answered. */
function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setTimeout(5_000, () => socket.destroy())
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
    socket.end(Buffer.from(bytes, 'latin1'))
  })
}

/** Real models that answer within milliseconds. */
async function smallModels() {
  const folder = await tempDir()
  const file = (name: string): string => join(folder, `${name}.gguf`)
  writeRandomModel(file('chat'))
  writeRandomModel(file('embeddings'), { pooling: 'mean' })
  const llama = (name: string) => ({ kind: 'llama' as const, file: file(name), contextLength: 64, maxWaiting: 10_000 })
  const operations: ('chat' | 'completions')[] = ['chat', 'completions']
  return {
    runtimes: { chat: llama('chat'), embeddings: llama('embeddings') },
    models: [
      { id: fuzzModels.chat, runtime: 'chat', serves: operations },
      { id: fuzzModels.embeddings, runtime: 'embeddings', serves: ['embeddings' as const] },
      { id: fuzzModels.moderation, runtime: 'builtin-moderation' },
    ],
  }
}

async function aliveAfter(platform: TestPlatform): Promise<void> {
  expect((await platform.get('/v1/models')).status).toBe(200)
}

describePlatformOnSqlite('fuzzing', (start) => {
  it(`gets no 5xx out of ${requestCases} wild requests over all routes`, async () => {
    const platform = await start({ config: await smallModels() })
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
    const { routes } = platform.platform.service
    const seed = Number(process.env.ATOLL_TEST_SEED ?? Date.now() % 2 ** 31)
    const perRoute = Math.ceil(requestCases / routes.length)
    let answered = 0
    for (const route of routes) {
      const wild = fc.sample(wildRequest(route, platform.apiKey), { seed, numRuns: perRoute })
      await inParallel(wild, async (one) => {
        const answer = await send(platform.url, agent, one).catch((error: Error) => {
          throw new Error(`${error.message} (seed ${seed}): ${JSON.stringify(one)}`)
        })
        try {
          check(one, answer)
        } catch (error) {
          const line = platform
            .logged()
            .split('\n')
            .find((text) => text.includes(answer.requestId ?? '-'))
          throw new Error(`${(error as Error).message} (seed ${seed}): ${line}`)
        }
        answered++
      })
    }
    agent.destroy()
    expect(answered).toBeGreaterThanOrEqual(requestCases)
    await aliveAfter(platform)
    const stored = (await (await platform.get('/v1/files')).json()).data.length as number
    await waitUntil(async () => (await listBlobs(platform.kernel)).length === stored)
    expect(platform.logged()).not.toContain('"level":"error"')
  }, 600_000)

  it(`survives ${socketCases} connections with bytes that are no proper HTTP`, async () => {
    const platform = await start()
    const port = Number(new URL(platform.url).port)
    const wild = fc.sample(rawBytes(platform.apiKey), socketCases)
    await inParallel(wild, async (bytes) => {
      const received = await sendRaw(port, bytes)
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 0)
      if (status >= 500) throw new Error(`answered ${status} to ${JSON.stringify(bytes)}`)
    })
    await aliveAfter(platform)
    await waitUntil(async () => (await listBlobs(platform.kernel)).length === 0)
  }, 600_000)
})
