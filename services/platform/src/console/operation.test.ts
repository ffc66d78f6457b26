// Whoever wants to reach the machine's other services through the console, without being allowed to.
import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'
import { closing, ofConsole, open, trustingService } from './testing/trusting-service.ts'

interface Asked {
  path: string
  method?: string
  headers?: Record<string, string>
  body?: Buffer
}

/** As it stands, where fetch would tidy it up. */
const ask = ({ url }: TestPlatform, { path, method = 'GET', headers = {}, body }: Asked) =>
  new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const { hostname: host, port } = new URL(url)
    const asked = request({ host, port, path, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    asked.on('error', reject).end(body)
  })

const list = '/console/services/engine/containers/json'

describePlatformOnSqlite('the other services behind the console', (start) => {
  it('answer whoever operates the machine, and learn nothing of the session', async () => {
    const { heard, neighbours } = await trustingService()
    const platform = await start({ neighbours })
    const headers = await open(platform)
    const { status, headers: got, text } = await ask(platform, { path: `${list}?all=1&filters=%7B%7D`, headers })
    expect({ status, text }).toEqual({ status: 200, text: '<script>alert(0)</script>' })
    expect(heard).toMatchObject([{ method: 'GET', url: '/containers/json?all=1&filters=%7B%7D' }])
    const told = JSON.stringify(heard)
    expect(told).not.toContain('atoll_session')
    expect(told).not.toContain('x-atoll-console')
    expect(heard[0]?.headers['x-atoll-actor']).toBe('owner%40localhost')
    // Opened as a page, it would be none: no script, no frame, nothing kept, and no cookie of somebody else's choice.
    expect(got['set-cookie']).toBeUndefined()
    expect(got['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
    expect(got).toMatchObject({ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' })
    expect(got['cache-control']).toBe('no-store')
    const services = await (await platform.as(undefined).get('/v1/console/services', headers)).json()
    expect(services).toMatchObject({
      data: [
        { name: 'engine', status: 'running' },
        { name: 'hooks', status: 'absent' },
        { name: 'cluster', status: 'absent' },
      ],
    })
    const away = await ask(platform, { path: '/console/services/hooks/hooks-admin/status', headers })
    expect(away).toMatchObject({ status: 503, text: expect.stringContaining('./atoll up --with hooks') })
  })

  it('are out of reach without a session, from other sites, under other names, and for guests', async () => {
    const { heard, neighbours } = await trustingService()
    const platform = await start({ neighbours })
    const own = await open(platform)
    const { 'x-atoll-console': _, ...bare } = own
    const { host } = new URL(platform.url)
    const attacks: [string, number, Asked][] = [
      ['no session', 401, { path: list, headers: ofConsole }],
      ['a made-up session', 401, { path: list, headers: { ...ofConsole, cookie: `atoll_session=${'a'.repeat(48)}` } }],
      ['no header of the page', 403, { path: list, headers: bare }],
      ['an admin key in its place', 403, { path: list, headers: { authorization: `Bearer ${platform.adminKey}` } }],
      ['a foreign origin', 403, { path: list, headers: { ...own, origin: 'https://evil.example' } }],
      ['an origin without a place', 403, { path: list, headers: { ...own, origin: 'null' } }],
      ['an origin of another port', 403, { path: list, headers: { ...own, origin: 'http://127.0.0.1:1' } }],
      ['a foreign host', 421, { path: list, headers: { ...own, host: 'evil.example' } }],
      ['a host that begins alike', 421, { path: list, headers: { ...own, host: `${host}.evil.example` } }],
      [
        'a form of another site',
        403,
        { path: list, method: 'POST', headers: { ...bare, origin: 'https://evil.example' } },
      ],
      ['an unknown service', 404, { path: '/console/services/platform/v1/files', headers: own }],
      ['a property of all objects', 404, { path: '/console/services/__proto__/a', headers: own }],
    ]
    for (const [name, status, asked] of attacks) {
      expect({ name, status: (await ask(platform, asked)).status }).toEqual({ name, status })
    }
    expect(heard).toEqual([])
    const guest = await guestOf(platform)
    expect((await ask(platform, { path: list, headers: guest })).status).toBe(403)
    expect((await platform.as(undefined).get('/v1/console/services', guest)).status).toBe(403)
    expect(heard).toEqual([])
  })

  it('get no path that climbs, and no body without end', async () => {
    const { heard, neighbours } = await trustingService()
    const platform = await start({ neighbours })
    const headers = await open(platform)
    const climbing = ['../x', '%2e%2e/x', '.%2E/x', 'a/../../x', './x', 'a\\..\\x', '%2e/x', 'a/%2E%2e']
    for (const path of climbing) {
      const { status } = await ask(platform, { path: `/console/services/engine/${path}`, headers })
      expect({ path, isRefused: status === 404 || status === 400 }).toEqual({ path, isRefused: true })
    }
    expect(heard).toEqual([])
    const announced = { ...headers, 'content-length': String(2 ** 40), expect: '100-continue' }
    const { status } = await ask(platform, { path: list, method: 'POST', headers: announced, body: Buffer.from('x') })
    expect(status).toBe(413)
    const sent = await ask(platform, { path: list, method: 'POST', headers, body: Buffer.alloc(3_000_000) })
    expect(sent.text).toBe('<script>alert(3000000)</script>')
  })

  it('stop telling when the session ends', async () => {
    const { neighbours } = await trustingService()
    const platform = await start({ neighbours })
    const headers = await open(platform)
    const following = await fetch(`${platform.url}/console/services/engine/follow`, { headers })
    const reader = following.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first line\n')
    const terminal = await opened(platform, '/exec/abc/start', { ...headers, origin: platform.url })
    const closed = once(terminal, 'close')
    await platform.as(undefined).post('/v1/console/logout', undefined, headers)
    await expect(reader?.read()).rejects.toThrow()
    expect((await closed)[0]).toBe(1008)
  })

  it('open terminals for pages of this server alone', async () => {
    const { heard, neighbours } = await trustingService()
    const platform = await start({ neighbours })
    const headers = await open(platform)
    const own = { cookie: headers.cookie, origin: platform.url }
    const attacks: [string, number, Record<string, string>][] = [
      ['no origin', 403, { cookie: headers.cookie }],
      ['no origin, but the header', 403, headers],
      ['a foreign origin', 403, { ...own, origin: 'https://evil.example' }],
      ['no session', 401, { origin: platform.url }],
      ['a foreign host', 421, { ...own, origin: 'http://evil.example', host: 'evil.example' }],
      ['a guest', 403, { ...(await guestOf(platform)), origin: platform.url }],
    ]
    for (const [name, status, given] of attacks) {
      expect({ name, status: await refused(platform, '/exec/abc/start', given) }).toEqual({ name, status })
    }
    for (const id of ['.a', 'a%2Fb', `a${'b'.repeat(200)}`, '%3Fx']) {
      expect({ id, status: await refused(platform, `/exec/${id}/start`, own) }).toEqual({ id, status: 400 })
    }
    expect(heard).toEqual([])
    const terminal = await opened(platform, '/exec/abc/start', own)
    terminal.send('ls\r')
    expect(String((await once(terminal, 'message'))[0])).toBe('you said ls\r')
    expect(heard).toMatchObject([{ method: 'POST', url: '/exec/abc/start', headers: { upgrade: 'tcp' } }])
    expect(JSON.stringify(heard)).not.toContain('atoll_session')
    terminal.close()
    const gone = await opened(platform, '/exec/refused/start', own)
    expect((await once(gone, 'close'))[0]).toBe(1011)
  })
})

/** Somebody who owns another organization of the same server. */
async function guestOf(platform: TestPlatform): Promise<Record<string, string>> {
  const { organizations, adminKeys } = platform.platform.identity
  const { organization, owner } = await organizations.create('Guests', { name: 'Guest', email: 'guest@localhost' })
  const { secret } = await adminKeys.create(organization.id, { userId: owner.id, name: 'guest' })
  const response = await platform.as(undefined).post('/v1/console/login', { key: secret }, ofConsole)
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ is_operator: false })
  return { ...ofConsole, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

const dial = ({ url }: TestPlatform, path: string, headers: Record<string, string>): WebSocket =>
  new WebSocket(`${url.replace('http', 'ws')}/console/services/engine${path}`, { headers })

async function opened(platform: TestPlatform, path: string, headers: Record<string, string>): Promise<WebSocket> {
  const socket = dial(platform, path, headers)
  closing.push(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

const refused = (platform: TestPlatform, path: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = dial(platform, path, headers)
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    socket.on('open', () => reject(new Error('It was let in')))
    socket.on('error', reject)
  })
