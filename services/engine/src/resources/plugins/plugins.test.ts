import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveRoutes } from '../../testing/serve-routes.ts'
import { pluginRoutes } from './refusals.ts'

let server: Awaited<ReturnType<typeof serveRoutes>>
beforeAll(async () => {
  server = await serveRoutes({ routes: pluginRoutes() }, { blobFolder: await tempDir() })
})
afterAll(() => server.close(0))

async function ask(method: string, path: string, body?: string): Promise<{ status: number; told: unknown }> {
  const response = await fetch(`${server.url}${path}`, { method, ...(body === undefined ? {} : { body }) })
  return { status: response.status, told: await response.json() }
}

describe('plugins', () => {
  it('are none', async () => {
    for (const path of [
      '/plugins',
      '/v1.25/plugins',
      '/v1.47/plugins?filters=%7B%22enabled%22%3A%5B%22true%22%5D%7D',
    ]) {
      expect(await ask('GET', path)).toEqual({ status: 200, told: [] })
    }
  })

  it('are not found by any name, with slashes too', async () => {
    for (const name of ['sshfs', 'vieux/sshfs:latest', 'localhost:5000/a/b']) {
      const missing = { status: 404, told: { message: `plugin "${name}" not found` } }
      expect(await ask('GET', `/v1.47/plugins/${name}/json`)).toEqual(missing)
      expect(await ask('DELETE', `/plugins/${name}`)).toEqual(missing)
      for (const action of ['enable', 'disable', 'upgrade', 'push', 'set']) {
        expect(await ask('POST', `/plugins/${name}/${action}`, '[]')).toEqual(missing)
      }
    }
  })

  it('cannot be installed or made, and the answer says so', async () => {
    const refused = [
      await ask('GET', '/plugins/privileges?remote=vieux/sshfs'),
      await ask('POST', '/plugins/pull?remote=vieux/sshfs', '[]'),
      await ask('POST', '/plugins/create?name=mine', 'x'.repeat(100_000)),
    ]
    for (const { status, told } of refused) {
      expect(status).toBe(501)
      expect(told).toMatchObject({ message: expect.stringContaining('Plugins are not part of this engine') })
    }
  })
})
