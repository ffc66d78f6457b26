import { request as httpsRequest } from 'node:https'
import { ManualClock } from '@atoll/kernel/clock/clock'
import { describe, expect, it } from 'vitest'
import { adminOf, allOf } from '../resources/organization/testing/admin-client.ts'
import {
  describeNodes,
  describePlatform,
  describePlatformOnSqlite,
  type TestPlatform,
} from '../testing/describe-platform.ts'
import { neighbourhood } from './failed-logins.ts'

const ofConsole = { 'x-atoll-console': '1', 'user-agent': 'Browser/1.0' }

async function logIn(platform: TestPlatform, key = platform.adminKey) {
  const response = await platform.as(undefined).post('/v1/console/login', { key }, ofConsole)
  const cookie = response.headers.get('set-cookie') ?? ''
  return { response, cookie, headers: { ...ofConsole, cookie: cookie.split(';')[0] ?? '' } }
}

const activate = async (platform: TestPlatform): Promise<void> => {
  expect((await platform.as(platform.adminKey).post('/v1/organization/audit_logs/activate')).status).toBe(200)
}

async function entriesOf(platform: TestPlatform, types: string[]) {
  const entries = await allOf(adminOf(platform).auditLogs.list({ limit: 100 }))
  return entries.filter(({ type }) => types.includes(type)).reverse() as unknown as Record<string, unknown>[]
}

describePlatform('a session of the console', (start) => {
  it('stands for the admin key it was opened with, and is the actor of what is done in it (AST-262)', async () => {
    const platform = await start()
    await activate(platform)
    const { response, cookie, headers } = await logIn(platform)
    expect(response.status).toBe(200)
    const session = await response.json()
    expect(session).toMatchObject({ object: 'console.session', user: { email: 'owner@localhost' } })
    expect(cookie).toMatch(/^atoll_session=\w{48}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/)
    const nobody = platform.as(undefined)
    expect(await (await nobody.get('/v1/console/session', headers)).json()).toEqual(session)
    const made = await nobody.post('/v1/organization/projects', { name: 'By hand' }, headers)
    expect(made.status).toBe(200)
    const out = await nobody.post('/v1/console/logout', undefined, headers)
    expect(out.status).toBe(200)
    expect(out.headers.get('set-cookie')).toMatch(/^atoll_session=; Max-Age=0; /)
    expect((await nobody.get('/v1/console/session', headers)).status).toBe(401)
    const user = { id: platform.caller.actor.id, email: 'owner@localhost' }
    const actor = {
      type: 'session',
      session: { user, ip_address: '127.0.0.1', user_agent: 'Browser/1.0' },
    }
    expect(await entriesOf(platform, ['login.succeeded', 'project.created', 'logout.succeeded'])).toMatchObject([
      { type: 'login.succeeded', actor, 'login.succeeded': {} },
      { type: 'project.created', actor },
      { type: 'logout.succeeded', actor, 'logout.succeeded': {} },
    ])
    await keepsTokensSecret(platform, headers.cookie)
  })

  it('tells of the last hour of the node, and what room there is, to nobody else', async () => {
    const platform = await start()
    const { headers } = await logIn(platform)
    const asked = { service: 'platform', method: 'GET', route: '/v1/models', seconds: 0.1 }
    for (const status of [200, 404]) platform.kernel.metrics.requestEnded({ ...asked, status })
    const answer = await (await platform.as(undefined).get('/v1/console/activity', headers)).json()
    const { data, ...room } = answer as unknown as { data: { requests: number; refused: number }[] }
    expect(data).toHaveLength(60)
    expect(data.reduce((sum, { requests }) => sum + requests, 0)).toBe(2)
    expect(data.reduce((sum, { refused }) => sum + refused, 0)).toBe(1)
    expect(room).toMatchObject({
      disk: { free_bytes: expect.any(Number) },
      memory: { total_bytes: expect.any(Number) },
    })
    expect((await platform.as(platform.adminKey).get('/v1/console/activity')).status).toBe(403)
  })

  it('is not opened by a wrong key or one of a service account; failures go on record and are limited by address', async () => {
    const platform = await start()
    await activate(platform)
    const wrong = `sk-admin-${'x'.repeat(40)}`
    expect((await logIn(platform, wrong)).response.status).toBe(401)
    const { organizationId, projectId } = platform.caller
    const robot = await platform.platform.identity.serviceAccounts.create(organizationId, projectId, 'Robot')
    expect((await logIn(platform, robot.key.secret)).response.status).toBe(403)
    const session = { ip_address: '127.0.0.1', user_agent: 'Browser/1.0' }
    const entries = await entriesOf(platform, ['login.failed'])
    expect(entries).toMatchObject([
      { actor: { type: 'session', session }, 'login.failed': { error_code: 'invalid_api_key' } },
      { actor: { session }, 'login.failed': { error_code: 'insufficient_permissions' } },
    ])
    expect(JSON.stringify(entries)).not.toContain('x'.repeat(4))
    expect(platform.logged()).not.toContain(wrong)
    // Successes do not count.
    for (let time = 0; time < 12; time++) expect((await logIn(platform)).response.status).toBe(200)
    let failures = 2
    let last = await logIn(platform, wrong)
    for (; last.response.status === 401 && failures < 100; failures++) last = await logIn(platform, wrong)
    expect(last.response.status).toBe(429)
    expect(failures).toBeGreaterThanOrEqual(10)
    expect(Number(last.response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(last.cookie).toBe('')
    expect(await entriesOf(platform, ['login.failed'])).toHaveLength(failures)
  })

  it('is of no use to pages of other sites', async () => {
    const platform = await start()
    const nobody = platform.as(undefined)
    const { headers } = await logIn(platform)
    const { host } = new URL(platform.url)
    const { 'x-atoll-console': _, ...bare } = headers
    const path = '/v1/organization/projects'
    expect((await nobody.get(path, bare)).status).toBe(401)
    expect((await nobody.get('/v1/console/session', bare)).status).toBe(403)
    for (const origin of ['https://evil.example', 'null', `http://${host}.evil.example`, `http://127.0.0.1:1`]) {
      expect((await nobody.get(path, { ...headers, origin })).status).toBe(403)
      expect((await nobody.post('/v1/console/logout', undefined, { ...headers, origin })).status).toBe(403)
      const login = await nobody.post('/v1/console/login', { key: platform.adminKey }, { ...ofConsole, origin })
      expect(login.status).toBe(403)
    }
    expect((await nobody.get(path, { ...headers, origin: `http://${host}` })).status).toBe(200)
    // For administration only, and never beside a key.
    expect((await nobody.get('/v1/files', headers)).status).toBe(401)
    expect((await platform.get(path, headers)).status).toBe(403)
    for (const cookie of ['', 'atoll_session=', `atoll_session=${'a'.repeat(48)}`, 'atoll_session=%00', ';;=']) {
      expect((await nobody.get(path, { ...ofConsole, cookie })).status).toBe(401)
    }
    for (const body of [{}, { key: '' }, { key: 5 }, { key: 'k'.repeat(600) }, { key: 'k', more: 1 }]) {
      expect((await nobody.post('/v1/console/login', body, ofConsole)).status).toBe(400)
    }
  })

  it('is over after twelve hours, and a logout after that goes on record as failed', async () => {
    const clock = new ManualClock(Date.now())
    const platform = await start({ clock })
    await activate(platform)
    const nobody = platform.as(undefined)
    const { headers } = await logIn(platform)
    clock.advanceSeconds(12 * 3600 - 1)
    expect((await nobody.get('/v1/console/session', headers)).status).toBe(200)
    clock.advanceSeconds(1)
    expect((await nobody.get('/v1/console/session', headers)).status).toBe(401)
    expect((await nobody.get('/v1/organization/projects', headers)).status).toBe(401)
    expect((await nobody.post('/v1/console/logout', undefined, headers)).status).toBe(401)
    expect((await nobody.post('/v1/console/logout', undefined, headers)).status).toBe(401)
    expect(await entriesOf(platform, ['logout.failed', 'logout.succeeded'])).toMatchObject([
      { type: 'logout.failed', 'logout.failed': { error_code: 'no_session' } },
    ])
  })
})

/** The token is nowhere but in the cookie. */
async function keepsTokensSecret(platform: TestPlatform, cookie: string): Promise<void> {
  const { response, headers } = await logIn(platform)
  const token = headers.cookie.split('=')[1] ?? ''
  expect(token).toHaveLength(48)
  const { queries } = platform.kernel.db
  const kept = await queries.selectFrom('console_sessions').selectAll().execute()
  expect(kept).toHaveLength(1)
  for (const text of [JSON.stringify(kept), platform.logged(), await response.text()]) {
    expect(text).not.toContain(token)
    expect(text).not.toContain(cookie)
    expect(text).not.toContain(platform.adminKey)
  }
}

describeNodes('sessions on several nodes', (start) => {
  it('end everywhere with their key, and with the place of their user', async () => {
    const one = await start()
    const two = await start({ after: one })
    const { organizationId } = one.caller
    const { identity } = one.platform
    const bo = await identity.users.add(organizationId, { name: 'Bo', email: 'bo@example.com', role: 'owner' })
    const firstKey = await identity.adminKeys.create(organizationId, { userId: bo.id, name: 'first' })
    const secondKey = await identity.adminKeys.create(organizationId, { userId: bo.id, name: 'second' })
    const first = await logIn(one, firstKey.secret)
    const second = await logIn(one, secondKey.secret)
    const status = async (headers: Record<string, string>) =>
      (await two.as(undefined).get('/v1/organization/users', headers)).status
    expect([await status(first.headers), await status(second.headers)]).toEqual([200, 200])
    await identity.adminKeys.remove(organizationId, firstKey.id)
    expect([await status(first.headers), await status(second.headers)]).toEqual([401, 200])
    await identity.users.changeRole(organizationId, bo.id, 'member')
    expect(await status(second.headers)).toBe(401)
  })
})

describePlatformOnSqlite('under TLS', (start) => {
  it('the cookie goes over encrypted connections only', async () => {
    const platform = await start({ tls: 'self-signed' })
    const cookie = await new Promise<string | undefined>((resolve, reject) => {
      const body = JSON.stringify({ key: platform.adminKey })
      const headers = { ...ofConsole, 'content-type': 'application/json', 'content-length': body.length }
      const options = { method: 'POST', headers, rejectUnauthorized: false }
      const request = httpsRequest(`${platform.url}/v1/console/login`, options, (response) => {
        response.resume()
        resolve(response.headers['set-cookie']?.[0])
      })
      request.on('error', reject).end(body)
    })
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Secure$/)
  })
})

describe('addresses', () => {
  it('count together where one customer has them all', () => {
    expect(neighbourhood('10.1.2.3')).toBe('10.1.2.3')
    expect(neighbourhood('::ffff:10.1.2.3')).toBe('10.1.2.3')
    expect(neighbourhood('2001:DB8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
    expect(neighbourhood('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64')
    expect(neighbourhood('2001:db8::1')).toBe('2001:db8:0:0::/64')
    expect(neighbourhood('::1')).toBe('0:0:0:0::/64')
    expect(neighbourhood('')).toBe('')
  })
})
