// Somebody who owns nothing here logs in with their own key of a project.
import { expect, it } from 'vitest'
import { adminOf, allOf } from '../resources/organization/testing/admin-client.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'

const ofConsole = { 'x-atoll-console': '1' }

async function open(platform: TestPlatform, key: string) {
  const response = await platform.as(undefined).post('/v1/console/login', { key }, ofConsole)
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { session: await response.json(), headers: { ...ofConsole, cookie } }
}

async function memberOf({ platform: { identity }, caller: { organizationId, projectId } }: TestPlatform) {
  const ada = await identity.users.add(organizationId, { name: 'Ada', email: 'ada@example.com', role: 'member' })
  const key = await identity.projectKeys.create(organizationId, projectId, { userId: ada.id, name: 'own' })
  return { ada, key }
}

describePlatformOnSqlite("a session of the console with a member's key", (start) => {
  it('acts in the project of the key, and administers and steers nothing', async () => {
    const platform = await start()
    const { key } = await memberOf(platform)
    const { projectId } = platform.caller
    const { session, headers } = await open(platform, key.secret)
    const rights = { is_admin: false, is_operator: false, project: { id: projectId } }
    expect(session).toMatchObject({ user: { name: 'Ada' }, ...rights })
    const nobody = platform.as(undefined)
    const status = async (path: string, more = {}) => (await nobody.get(path, { ...headers, ...more })).status
    expect(await status('/v1/files', { 'x-atoll-project': projectId })).toBe(200)
    const { caller: other } = await platform.addProject('Other')
    expect(await status('/v1/files', { 'x-atoll-project': other.projectId })).toBe(403)
    for (const path of ['projects', 'users', 'audit_logs', 'runtimes']) {
      expect({ path, status: await status(`/v1/organization/${path}`) }).toEqual({ path, status: 403 })
    }
    expect(await status('/v1/console/services')).toBe(403)
    expect(await status('/console/services/engine/info')).toBe(403)
    expect(await status('/v1/console/activity')).toBe(200)
  })

  it('has no more rights than the key, whoever holds it, and ends with it', async () => {
    const platform = await start()
    const { organizationId, projectId } = platform.caller
    // The first key of a project is its owner's, who owns the organization too.
    const owner = await open(platform, platform.apiKey)
    expect(owner.session).toMatchObject({ is_admin: false, is_operator: false, project: { id: projectId } })
    expect((await platform.as(undefined).get('/v1/organization/users', owner.headers)).status).toBe(403)
    const { ada, key } = await memberOf(platform)
    const { headers } = await open(platform, key.secret)
    const status = async () => (await platform.as(undefined).get('/v1/console/session', headers)).status
    expect(await status()).toBe(200)
    await platform.platform.identity.users.remove(organizationId, ada.id)
    expect(await status()).toBe(401)
  })

  it('is not opened once the project is archived; that goes on record as a failure', async () => {
    const platform = await start()
    const project = await platform.addProject('Other')
    const admin = platform.as(platform.adminKey)
    expect((await admin.post('/v1/organization/audit_logs/activate')).status).toBe(200)
    const archived = await admin.post(`/v1/organization/projects/${project.caller.projectId}/archive`)
    expect(archived.status).toBe(200)
    const refused = await platform.as(undefined).post('/v1/console/login', { key: project.apiKey }, ofConsole)
    expect(refused.status).toBe(401)
    const [last] = await allOf(adminOf(platform).auditLogs.list({ limit: 1 }))
    expect(last).toMatchObject({ type: 'login.failed', 'login.failed': { error_code: 'invalid_api_key' } })
  })
})
