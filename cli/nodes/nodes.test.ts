// Two real servers on one PostgreSQL and one blobs folder.
import { hash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '@atoll/kernel/db/postgres/connection'
import { NodeGroup } from '@atoll/kernel/nodes/group'
import { patternFile } from '@atoll/platform/testing/requests'
import { describePostgres } from '@atoll/testkit/both-targets'
import { createPostgresDatabase } from '@atoll/testkit/postgres'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeAll, expect, it } from 'vitest'
import { answerText, startStubModel } from '../chaos/stub-model.ts'
import { Client } from '../crash/client.ts'
import { contentOf } from '../crash/ledger.ts'
import { ServerProcess } from './server-process.ts'

interface Node {
  server: ServerProcess
  client: Client
}

interface Pair {
  databaseUrl: string
  apiKeys: string[]
  a: Node
  b: Node
}

const mebibyte = 1024 * 1024

/** Both at the same instant on an empty database, each with a data folder of its own. */
async function startPair(platform: object = {}): Promise<Pair> {
  const databaseUrl = await createPostgresDatabase()
  const settings = { port: 0, database: { url: databaseUrl }, blobs: { folder: await tempDir() }, platform }
  const config = join(await tempDir(), 'atoll.json')
  await writeFile(config, JSON.stringify(settings))
  const folders = [await tempDir(), await tempDir()]
  const servers = folders.map(
    (data) => new ServerProcess({ args: ['--only', 'platform', '--config', config, '--data', data] }),
  )
  const urls = await Promise.all(servers.map((server) => server.ready()))
  await Promise.all(servers.map((server) => server.swept()))
  const apiKeys = servers.flatMap(({ output }) => /OPENAI_API_KEY=(\S+)$/m.exec(output)?.[1] ?? [])
  const [a, b] = servers.map((server, index) => ({ server, client: new Client(urls[index]!, apiKeys[0]!) }))
  return { databaseUrl, apiKeys, a: a!, b: b! }
}

async function rows(url: string, query: string): Promise<object[]> {
  const client = await connect(url)
  return client
    .query(query)
    .then((result) => result.rows)
    .finally(() => client.end())
}

describePostgres('two servers on one PostgreSQL', () => {
  let pair: Pair
  beforeAll(async () => {
    pair = await startPair()
  })

  it('know where the other one is, and hear only who has the key of their database', async () => {
    const urls = await Promise.all([pair.a, pair.b].map(({ server }) => server.ready()))
    await expect
      .poll(() => rows(pair.databaseUrl, 'select address from nodes order by address'), { timeout: 20_000 })
      .toEqual(urls.toSorted().map((address) => ({ address })))
    const [row] = (await rows(pair.databaseUrl, 'select key from node_group')) as [{ key: string }]
    const [address = ''] = urls
    const askWith = (key: string) => {
      const queries = undefined as never // who is there is known
      const group = new NodeGroup({ queries, now: Date.now, key: hash('sha256', key, 'buffer') })
      return group.ask({ address, isSelf: false }, 'vectors.hold', {}, 20_000).finally(() => group.close())
    }
    await expect(askWith(row.key)).rejects.toThrow('collection')
    await expect(askWith('another')).rejects.toThrow('the other node answered 404')
    const junk = await fetch(`${address}/internal/group`, { method: 'POST', body: 'x'.repeat(2 * mebibyte) })
    expect(junk.status).toBe(404)
  })

  it('make one organization when both start at once, and the one first key works on both', async () => {
    expect(pair.apiKeys).toHaveLength(1)
    for (const table of ['organizations', 'projects', 'users']) {
      expect(await rows(pair.databaseUrl, `select id from ${table}`)).toHaveLength(1)
    }
    expect(await rows(pair.databaseUrl, 'select id from api_keys')).toHaveLength(2)
    for (const { client } of [pair.a, pair.b]) expect((await client.send('GET', '/v1/models')).status).toBe(200)
  })

  it('list and serve on each what was uploaded to the other', async () => {
    const directions = [
      [pair.a.client, pair.b.client],
      [pair.b.client, pair.a.client],
    ] as const
    for (const [from, to] of directions) {
      const content = patternFile(2 * mebibyte, 7)
      const { id } = await from.createFile('shared.bin', content)
      expect((await to.json('GET', '/v1/files')).data.map((file) => file.id)).toContain(id)
      const answer = await to.send('GET', `/v1/files/${id}/content`)
      expect(contentOf(answer.bytes)).toEqual(contentOf(content))
      await to.json('DELETE', `/v1/files/${id}`)
      expect((await from.send('GET', `/v1/files/${id}`)).status).toBe(404)
    }
  })

  it('take the parts of an upload on both and complete it on one', async () => {
    const { a, b } = pair
    const content = patternFile(3 * mebibyte, 3)
    const { id } = await a.client.createUpload('parts.bin', content.length)
    const pieces = [0, 1, 2].map((at) => content.subarray(at * mebibyte, (at + 1) * mebibyte))
    const clients = [b.client, a.client, b.client]
    const parts = await Promise.all(pieces.map((piece, at) => clients[at]!.addPart(id, piece)))
    const part_ids = parts.map((part) => part.id)
    const { file } = await a.client.json('POST', `/v1/uploads/${id}/complete`, { part_ids })
    const answer = await b.client.send('GET', `/v1/files/${file.id}/content`)
    expect(contentOf(answer.bytes)).toEqual(contentOf(content))
  })

  it('let exactly one of two simultaneous completions win', async () => {
    const { a, b } = pair
    for (let turn = 0; turn < 10; turn++) {
      const filename = `race-${turn}.bin`
      const { id } = await a.client.createUpload(filename, 1000)
      const part = await b.client.addPart(id, patternFile(1000, turn))
      const complete = ({ client }: Node) => client.send('POST', `/v1/uploads/${id}/complete`, { part_ids: [part.id] })
      const answers = await Promise.all([complete(a), complete(b)])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
      const listed = (await b.client.json('GET', '/v1/files')).data.filter((file) => file.filename === filename)
      expect(listed).toHaveLength(1)
    }
  })

  it('count storage exactly when both write at once', async () => {
    const write = ({ client }: Node, at: number) => client.createFile(`count-${at}.bin`, patternFile(at * 100, at))
    await Promise.all(Array.from({ length: 40 }, (_, at) => write(at % 2 === 0 ? pair.a : pair.b, at)))
    const [sums] = await rows(
      pair.databaseUrl,
      `select (select sum(bytes)::text from organization_storage) as counted,
        ((select sum(bytes) from files) +
         (select coalesce(sum(bytes), 0) from uploads where status = 'pending'))::text as stored`,
    )
    const { counted, stored } = sums as { counted: string; stored: string }
    expect(counted).toBe(stored)
  })

  it('go on with one when the other is killed', { timeout: 120_000 }, async () => {
    const { a, b } = await startPair()
    const { id } = await a.client.createUpload('survivor.bin', 1000)
    const first = await a.client.addPart(id, patternFile(500, 1))
    const acknowledged: string[] = []
    const store = async (_: unknown, at: number) => {
      acknowledged.push((await a.client.createFile(`dying-${at}.bin`, patternFile(mebibyte, at))).id)
    }
    const storing = Array.from({ length: 12 }, store)
    await Promise.any(storing)
    await a.server.kill()
    await Promise.allSettled(storing)
    const second = await b.client.addPart(id, patternFile(500, 2))
    const part_ids = [first.id, second.id]
    expect((await b.client.json('POST', `/v1/uploads/${id}/complete`, { part_ids })).status).toBe('completed')
    const { data } = await b.client.json('GET', '/v1/files')
    expect(data.map((file) => file.id)).toEqual(expect.arrayContaining(acknowledged))
    for (const file of data) {
      expect((await b.client.send('GET', `/v1/files/${file.id}/content`)).bytes).toHaveLength(file.bytes)
    }
    await b.client.createFile('after.bin', patternFile(10, 3))
    expect(await b.server.stop()).toBe(0)
  })

  it('hold a rate limit across both', { timeout: 120_000 }, async () => {
    const perMinute = 20
    const { a, b } = await startPair({ rateLimits: { requestsPerMinute: perMinute } })
    const began = performance.now()
    const ask = (at: number) => (at % 2 === 0 ? a : b).client.send('GET', '/v1/models')
    const statuses = (await Promise.all(Array.from({ length: 40 }, (_, at) => ask(at)))).map(({ status }) => status)
    const refilled = Math.ceil(((performance.now() - began) * perMinute) / 60_000)
    const granted = statuses.filter((status) => status === 200).length
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(granted).toBeGreaterThanOrEqual(perMinute)
    expect(granted).toBeLessThanOrEqual(perMinute + refilled)
  })
})

describePostgres('a node without a model', () => {
  it('answers by the node of its group that has it', { timeout: 120_000 }, async () => {
    const model = await startStubModel('127.0.0.1')
    const databaseUrl = await createPostgresDatabase()
    const start = async (replica: string, name: string): Promise<string> => {
      const runtimes = { other: { kind: 'upstream', replicas: [replica], model: name, apiKey: 'sk-of-the-group' } }
      const platform = { runtimes, models: [{ id: 'far', runtime: 'other', serves: ['chat'] }] }
      const config = join(await tempDir(), 'atoll.json')
      await writeFile(
        config,
        JSON.stringify({ port: 0, services: ['platform'], database: { url: databaseUrl }, platform }),
      )
      const env = { ATOLL_API_KEY: 'sk-of-the-group', ATOLL_ADMIN_KEY: 'sk-admin-of-the-group' }
      return new ServerProcess({ args: ['--config', config, '--data', await tempDir()], env }).ready()
    }
    const withModel = await start(model.url, 'stub')
    const without = await start(`${withModel}/v1`, 'far')
    const messages = [{ role: 'user', content: 'Good morning.' }]
    const client = new Client(without, 'sk-of-the-group')
    const { status, bytes } = await client.send('POST', '/v1/chat/completions', { model: 'far', messages })
    model.close()
    expect([status, JSON.parse(bytes.toString()).choices[0].message.content]).toEqual([200, answerText])
    expect(model.answered).toBe(1)
  })
})
