import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'
import { errorOf, formOf } from '../testing/requests.ts'

/** Every operation that an ordinary key can use, called as it is: the answer tells whether the key was let in. */
const operations = (platform: TestPlatform) => platform.platform.service.routes.filter(({ auth }) => auth === 'project')

const call = (platform: TestPlatform, { method, path }: { method: string; path: string }) =>
  platform.request(method, path.replace(/:\w+/g, 'x'))

describePlatformOnSqlite('authentication', (start) => {
  it('INF-011 refuses every operation without a valid key', async () => {
    const platform = await start()
    expect(operations(platform).length).toBeGreaterThan(10)
    for (const operation of operations(platform)) {
      const none = await call(platform.as(undefined), operation)
      expect([operation.path, none.status]).toEqual([operation.path, 401])
      expect(await errorOf(none)).toMatchObject({ type: 'invalid_request_error', code: null })
      const wrong = await call(platform.as('sk-proj-wrong'), operation)
      expect([operation.path, wrong.status]).toEqual([operation.path, 401])
      expect(await errorOf(wrong)).toMatchObject({ code: 'invalid_api_key' })
    }
  })

  it('INF-015 shows no key in any answer, however wrong it is', async () => {
    const platform = await start()
    const almost = `${platform.apiKey.slice(0, -1)}!`
    const answers = [
      await platform.as(almost).get('/v1/models'),
      await platform.as(platform.adminKey).get('/v1/models'),
      await platform.get('/v1/models'),
      await platform.get(`/v1/files?after=${platform.apiKey}`),
      await platform.get(`/v1/files?before=${encodeURIComponent(almost)}`),
      await platform.post('/v1/uploads', { filename: platform.adminKey }),
    ]
    for (const answer of answers) {
      const text = JSON.stringify([...answer.headers]) + (await answer.text())
      for (const key of [platform.apiKey, platform.adminKey, almost]) expect(text).not.toContain(key.slice(8, 40))
    }
    expect(platform.logged()).not.toContain(platform.apiKey.slice(8))
    expect(platform.logged()).not.toContain(platform.adminKey.slice(9))
  })

  it('takes the key as the password of Basic authentication too', async () => {
    const platform = await start()
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
    const bare = platform.as(undefined)
    expect((await bare.get('/v1/models', basic(`:${platform.apiKey}`))).status).toBe(200)
    expect((await bare.get('/v1/models', basic(`someone:${platform.apiKey}`))).status).toBe(200)
    expect((await bare.get('/v1/models', basic(':wrong'))).status).toBe(401)
    expect((await bare.get('/v1/models', { authorization: 'Basic !!!' })).status).toBe(401)
    expect((await bare.get('/v1/models', { authorization: platform.apiKey })).status).toBe(401)
  })

  it('INF-012 INF-234 accepts keys of people and of service accounts; a key of the first start has project scope', async () => {
    const platform = await start()
    expect(platform.apiKey).toMatch(/^sk-proj-/)
    expect(platform.caller).toMatchObject({ keyKind: 'project', actor: { type: 'user' } })
    const bot = platform.as(await platform.addServiceAccountKey())
    expect((await bot.get('/v1/models')).status).toBe(200)
    const legacy = platform.as(await platform.addUserKey())
    expect((await legacy.get('/v1/models')).status).toBe(200)
  })

  it("INF-013 never reaches another project's objects, not even to learn that they exist", async () => {
    const platform = await start()
    const other = await platform.addProject('other')
    const file = await platform.addFile('secret.txt', 'x')
    const upload = await (
      await platform.post('/v1/uploads', { purpose: 'batch', filename: 'a.jsonl', bytes: 1 })
    ).json()
    const attempts: [string, string, string][] = [
      ['GET', '/v1/files/ID', file.id],
      ['GET', '/v1/files/ID/content', file.id],
      ['DELETE', '/v1/files/ID', file.id],
      ['POST', '/v1/uploads/ID/cancel', upload.id],
    ]
    for (const [method, path, id] of attempts) {
      const foreign = await other.request(method, path.replace('ID', id))
      const missing = await other.request(method, path.replace('ID', 'absent'))
      expect([path, foreign.status, missing.status]).toEqual([path, 404, 404])
      const [foreignText, missingText] = [await foreign.text(), await missing.text()]
      expect(foreignText.replaceAll(id, 'absent')).toBe(missingText)
    }
    const part = await other.post(`/v1/uploads/${upload.id}/parts`, formOf('p', 'x', {}, 'data'))
    expect(part.status).toBe(404)
    expect((await (await other.get('/v1/files')).json()).data).toEqual([])
    expect((await platform.get(`/v1/files/${file.id}`)).status).toBe(200)
  })

  it('INF-014 INF-016 INF-017 INF-018 lets a legacy user key choose organization and project, Default if none', async () => {
    const platform = await start()
    const apiKey = await platform.addUserKey()
    const legacy = platform.as(apiKey)
    const second = await platform.addProject('second')
    const elsewhere = await platform.addOrganization('Elsewhere')
    const addFile = async (headers: Record<string, string>) => {
      const response = await legacy.post('/v1/files', formOf('a.txt', 'x', { purpose: 'assistants' }), headers)
      expect(response.status).toBe(200)
      return { id: (await response.json()).id as string, organization: response.headers.get('vendor-organization') }
    }
    const inDefault = await addFile({})
    expect((await platform.get(`/v1/files/${inDefault.id}`)).status).toBe(200)
    expect(inDefault.organization).toBe(platform.caller.organizationId)
    for (const spelling of ['vendor-project', 'openai-project']) {
      const inSecond = await addFile({ [spelling]: second.caller.projectId })
      expect((await second.get(`/v1/files/${inSecond.id}`)).status).toBe(200)
      expect((await platform.get(`/v1/files/${inSecond.id}`)).status).toBe(404)
    }
    for (const spelling of ['vendor-organization', 'openai-organization']) {
      const abroad = await addFile({ [spelling]: elsewhere.organizationId })
      expect(abroad.organization).toBe(elsewhere.organizationId)
      expect((await platform.get(`/v1/files/${abroad.id}`)).status).toBe(404)
    }
    const usage = await platform.kernel.db.queries
      .selectFrom('organization_storage')
      .selectAll()
      .where('organization_id', '=', elsewhere.organizationId)
      .executeTakeFirst()
    expect(usage?.bytes).toBe(2)
  })

  it('refuses headers that do not match the key', async () => {
    const platform = await start()
    const second = await platform.addProject('second')
    const elsewhere = await platform.addOrganization('Elsewhere')
    const cases: [Record<string, string>, string][] = [
      [{ 'openai-organization': elsewhere.organizationId }, 'mismatched_organization'],
      [{ 'vendor-organization': 'org-unknown' }, 'mismatched_organization'],
      [{ 'openai-project': second.caller.projectId }, 'mismatched_project'],
      [{ 'vendor-project': 'proj_unknown' }, 'mismatched_project'],
    ]
    for (const [headers, code] of cases) {
      const response = await platform.get('/v1/models', headers)
      expect(response.status).toBe(401)
      expect(await errorOf(response)).toMatchObject({ code })
    }
    const own = {
      'openai-organization': platform.caller.organizationId,
      'vendor-project': platform.caller.projectId,
    }
    expect((await platform.get('/v1/models', own)).status).toBe(200)
  })

  it('INF-019 refuses an admin key on every ordinary operation', async () => {
    const platform = await start()
    for (const operation of operations(platform)) {
      const response = await call(platform.as(platform.adminKey), operation)
      expect([operation.path, response.status]).toEqual([operation.path, 403])
      expect(await errorOf(response)).toMatchObject({ code: 'insufficient_permissions' })
    }
  })

  it('AST-012 gets an admin key from the first start, and from no operation that an ordinary key may call', async () => {
    const platform = await start()
    expect((await platform.as(platform.adminKey).get('/v1/organization/projects')).status).toBe(200)
    const keys = [platform.apiKey, await platform.addUserKey(), await platform.addServiceAccountKey()]
    for (const key of keys) {
      const asked = await platform.as(key).post('/v1/organization/admin_api_keys', { name: 'mine' })
      expect(asked.status).toBe(403)
      expect(await errorOf(asked)).toMatchObject({ code: 'insufficient_permissions' })
    }
    // Keys that administrators hand out for a project are none either.
    const path = `/v1/organization/projects/${platform.caller.projectId}/service_accounts`
    const made = await platform.as(platform.adminKey).post(path, { name: 'bot' })
    const { api_key } = (await made.json()) as unknown as { api_key: { value: string } }
    expect((await platform.as(api_key.value).get('/v1/models')).status).toBe(200)
    expect((await platform.as(api_key.value).get('/v1/organization/projects')).status).toBe(403)
  })

  it('ends at once: a deleted key, a removed project', async () => {
    const platform = await start()
    const second = await platform.addProject('second')
    expect((await second.get('/v1/models')).status).toBe(200)
    await platform.platform.identity.projects.archive(platform.caller.organizationId, second.caller.projectId)
    for (const path of ['/v1/models', '/v1/organization/projects']) {
      const after = await second.get(path)
      expect([path, after.status]).toEqual([path, 401])
      expect(await errorOf(after)).toMatchObject({ code: 'invalid_api_key' })
    }
  })
})
