// A full disk and a database that is away: what callers are told, what /readyz says, and that all goes on afterwards.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownPostgres, postgresAvailable } from '@atoll/testkit/postgres'
import { smallDisk } from '@atoll/testkit/small-disk'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'

const apiKey = 'sk-storage-test'
const clusterAdmin = 'admin@cluster.test:a-long-password'
const hooksToken = 'a-token-for-the-storage-test'
const services = ['platform', 'hooks', 'cluster']

const letters = 'x'.repeat(200_000)

interface Attempt {
  name: string
  path: string
  init(): RequestInit
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
const basic = { authorization: `Basic ${btoa(clusterAdmin)}`, 'content-type': 'application/json' }
const assistants = { ...bearer(apiKey), 'openai-beta': 'assistants=v2' }
const post = (headers: Record<string, string>, body: object) => ({
  method: 'POST',
  headers,
  body: JSON.stringify(body),
})

function form(): RequestInit {
  const body = new FormData()
  body.set('purpose', 'assistants')
  body.set('file', new Blob([letters]), 'letters.txt')
  return { method: 'POST', headers: { authorization: `Bearer ${apiKey}` }, body }
}

const message = { role: 'user', content: letters }
const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`tag-${n}`, 'x'.repeat(500)]))
const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1, store: true, metadata }
let users = 0
const user = () => ({ email: `user-${++users}@cluster.test`, password: 'a-long-password', role: 'db_viewer' })

const platformWrites: Attempt[] = [
  { name: 'thread', path: '/v1/threads', init: () => post(assistants, { messages: [message] }) },
  { name: 'file', path: '/v1/files', init: form },
  { name: 'stored chat', path: '/v1/chat/completions', init: () => post(bearer(apiKey), chat) },
  { name: 'assistant', path: '/v1/assistants', init: () => post(assistants, { model: 'gpt-4o', metadata }) },
  { name: 'vector store', path: '/v1/vector_stores', init: () => post(assistants, { name: 'x', metadata }) },
]
const writes: Record<string, Attempt[]> = {
  platform: platformWrites,
  hooks: [{ name: 'wake', path: '/hooks/wake', init: () => post(bearer(hooksToken), { text: 'x'.repeat(10_000) }) }],
  cluster: [{ name: 'user', path: '/v1/users', init: () => post(basic, user()) }],
}
const reads: Record<string, Attempt[]> = {
  platform: ['/v1/files', '/v1/assistants', '/v1/chat/completions', '/v1/models'].map((path) => ({
    ...{ name: path, path },
    init: () => ({ headers: assistants }),
  })),
  cluster: [{ name: 'users', path: '/v1/users', init: () => ({ headers: basic }) }],
}

async function start(args: string[]): Promise<Record<string, string>> {
  const server = new ServerProcess({
    args: ['--port', '0', '--only', services.join(','), ...args],
    env: { ATOLL_API_KEY: apiKey, ATOLL_CLUSTER_ADMIN: clusterAdmin, ATOLL_HOOKS_TOKEN: hooksToken },
  })
  const urls: Record<string, string> = {}
  for (const name of services) urls[name] = await server.ready(name)
  return urls
}

interface Answer {
  status: number
  retryAfter: string | null
  body: { id?: string; reason?: string }
}

async function ask(url: string, { path, init }: Pick<Attempt, 'path' | 'init'>): Promise<Answer> {
  const response = await fetch(url + path, { ...init(), signal: AbortSignal.timeout(30_000) })
  const body = (await response.json().catch(() => ({}))) as Answer['body']
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body }
}

const readyz = (url: string) => ask(url, { path: '/readyz', init: () => ({}) })

/** Writes until it is refused. SQLite's log has room for some more when the disk has none. */
async function writeUntilRefused(url: string, write: Attempt, acknowledged: string[]): Promise<Answer> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await ask(url, write)
    if (answer.status !== 200) return answer
    if (write.path === '/v1/threads' && answer.body.id) acknowledged.push(answer.body.id)
  }
  throw new Error(`${write.name} was never refused`)
}

describe('a full disk', () => {
  it('is 507 everywhere and said by /readyz; what was acknowledged is kept, and all goes on when there is room', async (context) => {
    const disk = await smallDisk(40)
    if (disk === undefined) return context.skip('this machine does not let tests mount a small disk')
    const urls = await start(['--data', disk.folder])
    const all = Object.entries(writes).flatMap(([name, list]) => list.map((write) => ({ url: urls[name]!, write })))
    const acknowledged: string[] = []
    for (const { url, write } of all) expect((await ask(url, write)).status, write.name).toBe(200)
    disk.fill()
    for (const { url, write } of all) {
      const { status } = await writeUntilRefused(url, write, acknowledged)
      expect({ [write.name]: status }).toEqual({ [write.name]: 507 })
      disk.fill()
    }
    for (const name of services) {
      expect(await readyz(urls[name]!)).toMatchObject({
        status: 503,
        body: { reason: 'The disk of this server is full.' },
      })
      for (const read of reads[name] ?? []) expect((await ask(urls[name]!, read)).status, read.name).toBe(200)
    }
    disk.free()
    for (const { url, write } of all) expect((await ask(url, write)).status, write.name).toBe(200)
    for (const name of services) await expect.poll(() => readyz(urls[name]!)).toMatchObject({ status: 200 })
    for (const id of acknowledged) {
      const path = `/v1/threads/${id}/messages`
      expect((await ask(urls.platform!, { path, init: () => ({ headers: assistants }) })).status).toBe(200)
    }
  }, 120_000)
})

describe.skipIf(!postgresAvailable.available)('PostgreSQL that is away', () => {
  it('is 503 everywhere, with retry-after, and said by /readyz; all goes on when it is back', async () => {
    const postgres = await ownPostgres()
    try {
      const urls = await start(['--data', await tempDir(), '--database', postgres.url])
      const all = services.flatMap((name) =>
        [...(writes[name] ?? []), ...(reads[name] ?? [])].map((attempt) => ({ url: urls[name]!, attempt })),
      )
      for (const { url, attempt } of all) expect((await ask(url, attempt)).status, attempt.name).toBe(200)
      await postgres.without(async () => {
        for (const { url, attempt } of all) {
          const { status, retryAfter } = await ask(url, attempt)
          if (attempt.path === '/v1/models') continue // needs nothing that is stored
          expect({ [attempt.name]: status }).toEqual({ [attempt.name]: 503 })
          expect(Number(retryAfter), attempt.name).toBeGreaterThan(0)
        }
        // An answer is kept for a second, and one may have been asked for just before.
        const refused = { status: 503, body: { reason: 'The database does not answer.' } }
        for (const name of services) {
          await expect.poll(() => readyz(urls[name]!), { timeout: 5_000 }).toMatchObject(refused)
        }
      })
      for (const { url, attempt } of all) {
        await expect.poll(async () => (await ask(url, attempt)).status, { timeout: 10_000 }).toBe(200)
      }
      for (const name of services) await expect.poll(() => readyz(urls[name]!)).toMatchObject({ status: 200 })
    } finally {
      await postgres.stop()
    }
  }, 120_000)

  it('is 503 also when it hangs and closes nothing; nobody waits for ever, and all goes on when it wakes up', async () => {
    const postgres = await ownPostgres()
    try {
      const data = await tempDir()
      const config = join(data, 'atoll.json')
      writeFileSync(config, JSON.stringify({ database: { statementSeconds: 1 } }))
      const urls = await start(['--data', data, '--database', postgres.url, '--config', config])
      const all = services.flatMap((name) => (writes[name] ?? []).map((write) => ({ url: urls[name]!, write })))
      for (const { url, write } of all) expect((await ask(url, write)).status, write.name).toBe(200)
      await postgres.frozen(async () => {
        const answers = all.map(async ({ url, write }) => ({ [write.name]: (await ask(url, write)).status }))
        expect(await Promise.all(answers)).toEqual(all.map(({ write }) => ({ [write.name]: 503 })))
        const ready = await Promise.all(services.map((name) => readyz(urls[name]!)))
        expect(ready.map(({ status }) => status)).toEqual(services.map(() => 503))
      })
      for (const { url, write } of all) {
        await expect.poll(async () => (await ask(url, write)).status, { timeout: 20_000 }).toBe(200)
      }
    } finally {
      await postgres.stop()
    }
  }, 120_000)
})
