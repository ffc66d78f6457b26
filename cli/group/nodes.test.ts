// Two real nodes on one PostgreSQL, seen from outside while one is drained and one is killed.
import { writeFile } from 'node:fs/promises'
import { describePostgres } from '@atoll/testkit/both-targets'
import { createPostgresDatabase } from '@atoll/testkit/postgres'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { runAtoll } from '../run-atoll.ts'

interface Shown {
  id: string
  version: string
  state: string
}

describePostgres('./atoll nodes', () => {
  it('lists who serves, drains before a stop, and forgets who left', { timeout: 120_000 }, async () => {
    const database = await createPostgresDatabase()
    const folder = await tempDir()
    const config = `${folder}/atoll.json`
    const settings = { services: ['platform'], shutdown: { drainSeconds: 3 }, blobs: { folder: `${folder}/blobs` } }
    await writeFile(config, JSON.stringify(settings))
    const start = async () => {
      const args = ['--data', await tempDir(), '--port', '0', '--database', database, '--config', config]
      const server = new ServerProcess({
        args,
        env: { ATOLL_API_KEY: 'sk-of-two-nodes', ATOLL_ADMIN_KEY: 'sk-admin-of-two-nodes' },
      })
      return { server, url: await server.ready() }
    }
    const nodes = async (): Promise<Shown[]> => {
      const { out } = await runAtoll(['nodes', '--json', '--database', database, '--data', folder])
      return JSON.parse(out) as Shown[]
    }
    const first = await start()
    const second = await start()
    await expect
      .poll(async () => (await nodes()).map(({ state }) => state), { timeout: 30_000 })
      .toEqual(['ready', 'ready'])
    expect((await runAtoll(['nodes', '--database', database, '--data', folder])).code).toBe(0)

    const metrics = await (await fetch(`${first.url}/metrics`)).text()
    expect(metrics).toMatch(/^atoll_nodes\{version="[^"]+",state="ready"\} 2$/m)

    const stopped = second.server.stop()
    const ready = async () => (await fetch(`${second.url}/readyz`)).status
    await expect.poll(ready, { interval: 20 }).toBe(503)
    const models = await fetch(`${second.url}/v1/models`, { headers: { authorization: 'Bearer sk-of-two-nodes' } })
    expect(models.status).toBe(200)
    expect(await stopped).toBe(0)
    expect((await nodes()).length).toBe(1)
    await first.server.stop()
    expect(await nodes()).toEqual([])
  })
})
