// Who did what to which container through the console stands in the audit log.
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { describePlatform, type TestPlatform } from '../testing/describe-platform.ts'
import { closing, open, trustingService } from './testing/trusting-service.ts'

const below = '/console/services/engine'

async function opened(start: (settings: object) => Promise<TestPlatform>) {
  const { neighbours } = await trustingService()
  const platform = await start({ neighbours })
  expect((await platform.as(platform.adminKey).post('/v1/organization/audit_logs/activate')).status).toBe(200)
  const headers = await open(platform)
  const ask = async (method: string, path: string, body?: string): Promise<number> => {
    const answer = await fetch(platform.url + below + path, { method, headers, ...(body && { body }) })
    await answer.text()
    return answer.status
  }
  const entries = async (query = '') => {
    const path = `/v1/organization/audit_logs?limit=100&event_types[]=engine.requested&event_types[]=engine.refused${query}`
    const { data } = (await (await platform.as(platform.adminKey).get(path)).json()) as unknown as { data: Entry[] }
    return data.reverse()
  }
  return { platform, headers, ask, entries }
}

interface Entry {
  type: string
  actor: { session: { user: { email: string }; ip_address: string } }
  [details: string]: unknown
}

describePlatform('actions on containers in the console', (start) => {
  it('stand in the audit log with who, what and which container, and its chain holds', async () => {
    const { platform, headers, ask, entries } = await opened(start)
    await ask('GET', '/containers/json?all=1')
    await ask('POST', '/containers/0123abc/stop?t=5')
    await ask('POST', '/v1.43/containers/0123abc/exec', '{"Cmd":["sh"],"Env":["PASSWORD=hunter2"]}')
    await ask('POST', '/exec/77aa/resize?h=1&w=2')
    await ask('DELETE', '/containers/0123abc?force=1')
    await ask('DELETE', '/images/registry.example%2Fweb:1')
    await ask('POST', '/images/create?fromImage=busybox&tag=latest')
    await ask('POST', '/containers/prune')
    await ask('POST', '/build?t=web&buildargs=%7B%22TOKEN%22%3A%22hunter2%22%7D')
    const terminal = new WebSocket(`${platform.url.replace('http', 'ws')}${below}/exec/77aa/start`, {
      headers: { cookie: headers.cookie, origin: platform.url },
    })
    closing.push(() => terminal.terminate())
    await once(terminal, 'open')
    terminal.send('ls\r')
    await once(terminal, 'message')
    const written = await entries()
    expect(written.map((entry) => entry[entry.type])).toEqual([
      { id: '0123abc', object: 'container', action: 'stop', parameters: { t: '5' } },
      { id: '0123abc', object: 'container', action: 'exec' },
      { id: '0123abc', object: 'container', action: 'remove', parameters: { force: '1' } },
      { id: 'registry.example/web:1', object: 'image', action: 'remove' },
      { object: 'image', action: 'create', parameters: { fromImage: 'busybox', tag: 'latest' } },
      { object: 'container', action: 'prune' },
      { object: 'build', action: 'post', parameters: { t: 'web' } },
      { id: '77aa', object: 'exec', action: 'start' },
    ])
    for (const { actor } of written) {
      expect(actor.session).toMatchObject({ user: { email: 'owner@localhost' }, ip_address: '127.0.0.1' })
    }
    expect(JSON.stringify(written)).not.toContain('hunter2')
    expect(await entries('&resource_ids[]=0123abc')).toHaveLength(3)
    const verified = await platform.as(platform.adminKey).get('/v1/organization/audit_logs/verification')
    expect(await verified.json()).toMatchObject({ intact: true })
  })

  it('tell when the engine refused, or did not answer', async () => {
    const { ask, entries } = await opened(start)
    expect(await ask('POST', '/containers/gone/refuse')).toBe(409)
    expect(await ask('POST', '/containers/web/hang-up')).toBe(502)
    expect((await entries()).map((entry) => [entry.type, entry[entry.type]])).toEqual([
      ['engine.requested', { id: 'gone', object: 'container', action: 'refuse' }],
      ['engine.refused', { id: 'gone', object: 'container', action: 'refuse', status: 409 }],
      ['engine.requested', { id: 'web', object: 'container', action: 'hang-up' }],
      ['engine.refused', { id: 'web', object: 'container', action: 'hang-up', status: 502 }],
    ])
  })

  it('tell of a terminal that the engine refused before its window hears of it', async () => {
    const { platform, headers, entries } = await opened(start)
    const closed = async (id: string): Promise<[number, string]> => {
      const terminal = new WebSocket(`${platform.url.replace('http', 'ws')}${below}/exec/${id}/start`, {
        headers: { cookie: headers.cookie, origin: platform.url },
      })
      const [code, reason] = await once(terminal, 'close')
      return [code, String(reason)]
    }
    expect(await closed('refused')).toEqual([1011, 'not running'])
    expect(await closed('hangs-up')).toEqual([1011, 'The other service does not answer.'])
    expect((await entries()).map((entry) => [entry.type, entry[entry.type]])).toEqual([
      ['engine.requested', { id: 'refused', object: 'exec', action: 'start' }],
      ['engine.refused', { id: 'refused', object: 'exec', action: 'start', status: 409 }],
      ['engine.requested', { id: 'hangs-up', object: 'exec', action: 'start' }],
      ['engine.refused', { id: 'hangs-up', object: 'exec', action: 'start', status: 502 }],
    ])
  })
})
