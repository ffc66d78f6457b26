// Two real nodes on one PostgreSQL and one bucket, each by a way of its own that can be cut: who is ready without it.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describePostgres } from '@atoll/testkit/both-targets'
import { type FaultyProxy, startFaultyProxy } from '@atoll/testkit/faulty-proxy'
import { createPostgresDatabase } from '@atoll/testkit/postgres'
import { createTestBucket, lackingS3 } from '@atoll/testkit/s3-server'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { runAtoll } from '../run-atoll.ts'

const apiKey = 'sk-of-two-nodes'
const headers = { authorization: `Bearer ${apiKey}`, 'openai-beta': 'assistants=v2' }
const patience = { timeout: 60_000 }

async function startNode(database: string, s3: object, proxy: FaultyProxy) {
  const folder = await tempDir()
  const config = join(folder, 'atoll.json')
  const blobs = { s3: { ...s3, endpoint: proxy.endpoint, attempts: 1 } }
  await writeFile(config, JSON.stringify({ services: ['platform'], database: { url: database }, blobs }))
  const args = ['--config', config, '--data', join(folder, 'data'), '--port', '0']
  const server = new ServerProcess({ args, env: { ATOLL_API_KEY: apiKey } })
  const url = await server.ready()
  const readiness = async () => {
    const answer = await fetch(`${url}/readyz`)
    return { code: answer.status, ...((await answer.json()) as object) }
  }
  return { server, url, readiness }
}

async function stores(url: string): Promise<number> {
  const form = new FormData()
  form.set('purpose', 'user_data')
  form.set('file', new Blob(['kept']), 'kept.txt')
  return (await fetch(`${url}/v1/files`, { method: 'POST', headers, body: form })).status
}

const json = { ...headers, 'content-type': 'application/json' }
const thread = async (url: string): Promise<number> =>
  (await fetch(`${url}/v1/threads`, { method: 'POST', headers: json, body: '{}' })).status

/** As `./atoll nodes` has it. */
async function listed(database: string) {
  const { code, out } = await runAtoll(['nodes', '--json', '--database', database, '--data', await tempDir()])
  const nodes = JSON.parse(out) as { state: string; lacking: string }[]
  const lacking = nodes.map(({ lacking }) => lacking).sort()
  return { code, states: nodes.map(({ state }) => state).sort(), lacking }
}

describePostgres('nodes without their bucket', () => {
  it.skipIf(lackingS3 !== '')(
    `are unready where another has it; where none has it they serve what needs no files (${lackingS3 || 'nothing lacks'})`,
    { timeout: 240_000 },
    async () => {
      const { bucket, endpoint, accessKeyId, secretAccessKey } = await createTestBucket()
      const s3 = { bucket, accessKeyId, secretAccessKey }
      const ways = [await startFaultyProxy(endpoint), await startFaultyProxy(endpoint)] as const
      const database = await createPostgresDatabase()
      const first = await startNode(database, s3, ways[0])
      const second = await startNode(database, s3, ways[1])
      const whole = { code: 200, status: 'ok' }
      expect(await first.readiness()).toEqual(whole)

      ways[0].fault = () => 'reset'
      await expect
        .poll(first.readiness, patience)
        .toMatchObject({ code: 503, reason: expect.stringContaining('bucket') })
      expect(await second.readiness()).toEqual(whole)
      const away = expect.stringContaining('bucket')
      await expect
        .poll(() => listed(database), patience)
        .toEqual({ code: 1, states: [away, 'ready'], lacking: ['', away] })

      ways[1].fault = () => 'reset'
      const serving = { code: 200, status: 'ok', lacking: expect.stringContaining('bucket') }
      await expect.poll(first.readiness, patience).toEqual(serving)
      await expect.poll(second.readiness, patience).toEqual(serving)
      await expect
        .poll(() => listed(database), patience)
        .toEqual({ code: 0, states: ['ready', 'ready'], lacking: [away, away] })
      for (const { url } of [first, second]) expect([await thread(url), await stores(url)]).toEqual([200, 503])

      for (const way of ways) way.fault = () => undefined
      for (const node of [first, second]) {
        await expect.poll(node.readiness, patience).toEqual(whole)
        expect(await stores(node.url)).toBe(200)
        await node.server.stop()
      }
    },
  )
})
