import { ManualClock } from '@atoll/kernel/clock/clock'
import { expect, it } from 'vitest'
import { adminOf, allOf } from '../resources/organization/testing/admin-client.ts'
import { describePlatform, type TestPlatform } from '../testing/describe-platform.ts'

const ofConsole = { 'x-atoll-console': '1' }

async function logIn(platform: TestPlatform, link: string, headers: Record<string, string> = {}) {
  const response = await platform.as(undefined).post('/v1/console/login', { link }, { ...ofConsole, ...headers })
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { response, headers: { ...ofConsole, cookie } }
}

const newLink = async (platform: TestPlatform): Promise<string> =>
  (await platform.platform.console.links.create()) ?? ''

describePlatform('a link to log in with', (start) => {
  it('opens a session once, also when two use it at the same moment', async () => {
    const platform = await start()
    const link = await newLink(platform)
    const both = await Promise.all([logIn(platform, link), logIn(platform, link)])
    expect(both.map(({ response }) => response.status).sort()).toEqual([200, 401])
    const opened = both.find(({ response }) => response.status === 200)
    expect(await opened?.response.json()).toMatchObject({
      object: 'console.session',
      user: { email: 'owner@localhost' },
    })
    const again = await logIn(platform, link)
    expect(again.response.status).toBe(401)
    expect(await again.response.json()).toMatchObject({ error: { code: 'invalid_link', param: 'link' } })
    const nobody = platform.as(undefined)
    expect((await nobody.get('/v1/organization/projects', opened?.headers)).status).toBe(200)
    const kept = await platform.kernel.db.queries.selectFrom('console_links').selectAll().execute()
    expect(kept).toEqual([])
    expect(platform.logged()).not.toContain(link)
  })

  it('is good for fifteen minutes, is kept as a digest alone, and failures go on record', async () => {
    const clock = new ManualClock(Date.now())
    const platform = await start({ clock })
    expect((await platform.as(platform.adminKey).post('/v1/organization/audit_logs/activate')).status).toBe(200)
    const [late, intime] = [await newLink(platform), await newLink(platform)]
    const kept = await platform.kernel.db.queries.selectFrom('console_links').selectAll().execute()
    expect(kept).toHaveLength(2)
    expect(JSON.stringify(kept)).not.toContain(late)
    clock.advanceSeconds(15 * 60 - 1)
    expect((await logIn(platform, intime)).response.status).toBe(200)
    clock.advanceSeconds(1)
    expect((await logIn(platform, late)).response.status).toBe(401)
    const entries = await allOf(adminOf(platform).auditLogs.list({ limit: 100 }))
    expect(entries.find(({ type }) => type === 'login.failed')).toMatchObject({
      'login.failed': { error_code: 'invalid_link' },
    })
    expect(JSON.stringify(entries)).not.toContain(late)
  })

  it('is of no use to pages of other sites, under other names, or to somebody who is no owner any more', async () => {
    const platform = await start()
    const link = await newLink(platform)
    expect((await logIn(platform, link, { origin: 'https://evil.example' })).response.status).toBe(403)
    expect((await logIn(platform, link, { 'x-atoll-console': '0' })).response.status).toBe(403)
    const { headers, response } = await logIn(platform, link)
    expect(response.status).toBe(200)
    const { identity } = platform.platform
    const { organizationId, actor } = platform.caller
    await identity.users.add(organizationId, { name: 'Bo', email: 'bo@example.com', role: 'owner' })
    await identity.users.changeRole(organizationId, actor.id, 'member')
    expect((await platform.as(undefined).get('/v1/organization/projects', headers)).status).toBe(401)
  })
})
