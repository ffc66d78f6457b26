import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EngineEvents } from '../../events/engine-events.ts'
import { serveRoutes } from '../../testing/serve-routes.ts'
import { buildRoutes } from './routes.ts'
import { BuildCache } from './service.ts'

describe('the build cache', () => {
  it('tells by an event that it was pruned, and frees nothing because nothing is built', () => {
    const events = new EngineEvents(() => 1_000)
    expect(new BuildCache(events).prune({ until: ['24h'] })).toEqual({ CachesDeleted: [], SpaceReclaimed: 0 })
    expect(events.past.map(({ event }) => event)).toMatchObject([
      { Type: 'builder', Action: 'prune', Actor: { Attributes: { reclaimed: '0' } } },
    ])
  })

  it('refuses a filter that it does not know', () => {
    const prune = () => new BuildCache(new EngineEvents(() => 1_000)).prune({ color: ['blue'] })
    expect(prune).toThrow("invalid filter 'color'")
  })
})

describe('building', () => {
  let server: Awaited<ReturnType<typeof serveRoutes>>
  beforeAll(async () => {
    server = await serveRoutes(
      { routes: buildRoutes(new BuildCache(new EngineEvents(() => 1_000))) },
      { blobFolder: await tempDir() },
    )
  })
  afterAll(() => server.close(0))

  it('is refused in words that say what to do instead, whatever is sent along', async () => {
    const megabytes = 5 * 1024 ** 2
    for (const body of ['', 'not a tar', 'x'.repeat(megabytes)]) {
      const response = await fetch(`${server.url}/v1.47/build?t=mine&version=1`, { method: 'POST', body })
      expect(response.status).toBe(501)
      const { message } = (await response.json()) as { message: string }
      expect(message).toMatch(/^Building images is not part of this engine yet: .*"docker load"/)
    }
  })

  it('refuses the sessions of other builders the same way, also when they would leave HTTP', async () => {
    for (const path of ['/session', '/v1.47/session', '/grpc', '/v1.39/build/cancel?id=x']) {
      const headers = path.endsWith('x') ? {} : { connection: 'Upgrade', upgrade: 'h2c' }
      const asked = request(`${server.url}${path}`, { method: 'POST', headers }).end()
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      expect(answer.statusCode, path).toBe(501)
      expect(await text(answer)).toContain('Building images is not part of this engine')
    }
  })
})
