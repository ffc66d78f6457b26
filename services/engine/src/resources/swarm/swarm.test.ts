import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveRoutes } from '../../testing/serve-routes.ts'
import { swarmRoutes } from './refusals.ts'

let server: Awaited<ReturnType<typeof serveRoutes>>
beforeAll(async () => {
  server = await serveRoutes({ routes: swarmRoutes() }, { blobFolder: await tempDir() })
})
afterAll(() => server.close(0))

async function ask(method: string, path: string, body?: object): Promise<{ status: number; message: string }> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${server.url}${path}`, { method, ...sent })
  return { status: response.status, message: ((await response.json()) as { message: string }).message }
}

const notManager = {
  status: 503,
  message:
    'This node is not a swarm manager. Use "docker swarm init" or "docker swarm join" to connect this node to swarm and try again.',
}

describe('a machine that is in no swarm', () => {
  it('says so to whoever asks for nodes, services, tasks, secrets or configs', async () => {
    for (const version of ['', '/v1.24', '/v1.30', '/v1.47']) {
      for (const family of ['nodes', 'services', 'tasks', 'secrets', 'configs']) {
        expect(await ask('GET', `${version}/${family}`), family).toEqual(notManager)
        expect(await ask('GET', `${version}/${family}/some-id`), family).toEqual(notManager)
      }
    }
    for (const family of ['nodes', 'services', 'secrets', 'configs']) {
      expect(await ask('DELETE', `/${family}/some-id`)).toEqual(notManager)
      expect(await ask('POST', `/${family}/some-id/update?version=1`, { Name: 'x' })).toEqual(notManager)
      if (family !== 'nodes') expect(await ask('POST', `/${family}/create`, { Name: 'x' })).toEqual(notManager)
    }
    for (const family of ['services', 'tasks']) expect(await ask('GET', `/${family}/x/logs`)).toEqual(notManager)
  })

  it('has no swarm to show, change, unlock or leave', async () => {
    expect(await ask('GET', '/swarm')).toEqual(notManager)
    expect(await ask('GET', '/swarm/unlockkey')).toEqual(notManager)
    expect(await ask('POST', '/swarm/update?version=1', {})).toEqual(notManager)
    expect(await ask('POST', '/swarm/unlock', { UnlockKey: 'x' })).toEqual(notManager)
    expect(await ask('POST', '/swarm/leave')).toEqual({ status: 503, message: 'This node is not part of a swarm' })
  })

  it('cannot begin or join one yet, and says that it is not part of this engine', async () => {
    for (const action of ['init', 'join']) {
      const { status, message } = await ask('POST', `/swarm/${action}`, { ListenAddr: '0.0.0.0:2377' })
      expect(status).toBe(501)
      expect(message).toContain('a swarm is not part of this engine yet')
    }
  })
})
