import { expect, it } from 'vitest'
import { describePlatform } from '../../../../testing/describe-platform.ts'
import { checkPublished } from '../../../../testing/published-schemas.ts'
import { adminOf, allOf, refusalOf } from '../../testing/admin-client.ts'

describePlatform('API keys of a project', (start) => {
  it('are listed and shown with their owners, and never whole (AST-200, AST-201, AST-243, AST-244, AST-248, AST-249, AST-250)', async () => {
    const platform = await start()
    const { apiKeys, serviceAccounts } = adminOf(platform).projects
    const project_id = platform.caller.projectId
    const bot = await serviceAccounts.create(project_id, { name: 'bot' })
    const list = await apiKeys.list(project_id)
    expect(list.data.map(({ id }) => id)).toEqual([bot.api_key?.id, platform.caller.keyId])
    const [ofBot, ofPerson] = list.data
    expect(ofPerson).toMatchObject({
      object: 'organization.project.api_key',
      name: 'First key',
      redacted_value: expect.stringMatching(/^sk-proj-\w\w\*\*\*\w\w$/),
      created_at: expect.any(Number),
      owner: {
        type: 'user',
        user: {
          object: 'organization.project.user',
          id: platform.caller.actor.id,
          name: 'Owner',
          email: 'owner@localhost',
          role: 'owner',
          created_at: expect.any(Number),
        },
      },
    })
    const { api_key, ...account } = bot
    expect(ofBot?.owner).toEqual({ type: 'service_account', service_account: account })
    expect(await apiKeys.retrieve(api_key?.id ?? '', { project_id })).toEqual(ofBot)
    for (const key of list.data) checkPublished('ProjectApiKey', key)
    const raw = await platform.as(platform.adminKey).get(`/v1/organization/projects/${project_id}/api_keys`)
    const text = await raw.text()
    checkPublished('ProjectApiKeyListResponse', JSON.parse(text))
    for (const secret of [platform.apiKey, api_key?.value ?? '-']) expect(text).not.toContain(secret.slice(12))
    expect((await apiKeys.list(project_id, { limit: 1 })).has_more).toBe(true)
    expect((await apiKeys.list(project_id, { after: api_key?.id ?? '' })).data).toHaveLength(1)
    expect(await allOf(apiKeys.list(project_id, { limit: 1 }))).toHaveLength(2)
  })

  it('tell when they were last used', async () => {
    const platform = await start()
    const { apiKeys } = adminOf(platform).projects
    await platform.get('/v1/models')
    await platform.platform.identity.flushLastUsed()
    const key = await apiKeys.retrieve(platform.caller.keyId, { project_id: platform.caller.projectId })
    expect(key.last_used_at).toBeGreaterThanOrEqual(key.created_at)
  })

  it("are deleted at once, but not a service account's; none is made here (AST-245, AST-246, AST-247)", async () => {
    const platform = await start()
    const { apiKeys, serviceAccounts } = adminOf(platform).projects
    const project_id = platform.caller.projectId
    const bot = await serviceAccounts.create(project_id, { name: 'bot' })
    const refused = await refusalOf(apiKeys.delete(bot.api_key?.id ?? '', { project_id }))
    expect(refused).toMatchObject({ status: 400, code: 'service_account_key' })
    expect((await platform.as(bot.api_key?.value).get('/v1/models')).status).toBe(200)
    const deleted = await apiKeys.delete(platform.caller.keyId, { project_id })
    expect(deleted).toEqual({
      object: 'organization.project.api_key.deleted',
      id: platform.caller.keyId,
      deleted: true,
    })
    checkPublished('ProjectApiKeyDeleteResponse', deleted)
    expect((await platform.get('/v1/models')).status).toBe(401)
    const again = await refusalOf(apiKeys.delete(platform.caller.keyId, { project_id }))
    expect(again).toMatchObject({ status: 404 })
    const path = `/v1/organization/projects/${project_id}/api_keys`
    expect((await platform.as(platform.adminKey).post(path, { name: 'mine' })).status).toBe(405)
  })
})
