import { expect, it } from 'vitest'
import { describePlatform } from '../../../../testing/describe-platform.ts'
import { checkPublished } from '../../../../testing/published-schemas.ts'
import { adminOf, allOf, refusalOf } from '../../testing/admin-client.ts'

describePlatform('service accounts', (start) => {
  it('are born with a key that works in their project and is shown once (AST-236, AST-237, AST-238, AST-242)', async () => {
    const platform = await start()
    const { projects } = adminOf(platform)
    const { id: project_id } = await projects.create({ name: 'Orders' })
    const made = await projects.serviceAccounts.create(project_id, { name: 'Shipping bot' })
    expect(made).toEqual({
      object: 'organization.project.service_account',
      id: expect.stringMatching(/^svc_acct_/),
      name: 'Shipping bot',
      role: 'member',
      created_at: expect.any(Number),
      api_key: {
        object: 'organization.project.service_account.api_key',
        value: expect.stringMatching(/^sk-svcacct-\w{48}$/),
        name: 'Secret Key',
        created_at: expect.any(Number),
        id: expect.stringMatching(/^key_/),
      },
    })
    checkPublished('ProjectServiceAccountCreateResponse', made)
    const secret = made.api_key?.value ?? ''
    const bot = platform.as(secret)
    const file = await bot.addFile('a.txt', 'x')
    expect((await bot.get(`/v1/files/${file.id}`)).status).toBe(200)
    // Of that project: the Default one knows nothing of it.
    expect((await platform.get(`/v1/files/${file.id}`)).status).toBe(404)
    const { api_key: _, ...account } = made
    const shown = await projects.serviceAccounts.retrieve(made.id, { project_id })
    expect(shown).toEqual(account)
    const all = [shown, await projects.serviceAccounts.list(project_id), await projects.apiKeys.list(project_id)]
    expect(JSON.stringify(all)).not.toContain(secret)
    expect(platform.logged()).not.toContain(secret)
  })

  it('are listed, shown and deleted, their key with them (AST-200, AST-201, AST-235, AST-239, AST-240)', async () => {
    const platform = await start()
    const { serviceAccounts } = adminOf(platform).projects
    const project_id = platform.caller.projectId
    const one = await serviceAccounts.create(project_id, { name: 'one' })
    const two = await serviceAccounts.create(project_id, { name: 'two' })
    const first = await serviceAccounts.list(project_id, { limit: 1 })
    expect(first.data.map(({ id }) => id)).toEqual([two.id])
    expect(first.has_more).toBe(true)
    expect((await serviceAccounts.list(project_id, { after: two.id })).data.map(({ id }) => id)).toEqual([one.id])
    expect(await allOf(serviceAccounts.list(project_id, { limit: 1 }))).toHaveLength(2)
    const raw = await platform.as(platform.adminKey).get(`/v1/organization/projects/${project_id}/service_accounts`)
    checkPublished('ProjectServiceAccountListResponse', await raw.json())
    checkPublished('ProjectServiceAccount', await serviceAccounts.retrieve(one.id, { project_id }))
    const bot = platform.as(one.api_key?.value)
    expect((await bot.get('/v1/models')).status).toBe(200)
    const deleted = await serviceAccounts.delete(one.id, { project_id })
    expect(deleted).toEqual({ object: 'organization.project.service_account.deleted', id: one.id, deleted: true })
    checkPublished('ProjectServiceAccountDeleteResponse', deleted)
    expect((await bot.get('/v1/models')).status).toBe(401)
    expect(await refusalOf(serviceAccounts.retrieve(one.id, { project_id }))).toMatchObject({ status: 404 })
    expect(await refusalOf(serviceAccounts.delete(one.id, { project_id }))).toMatchObject({ status: 404 })
  })

  it('are renamed and given another role, as later clients ask; the audit log tells', async () => {
    const platform = await start()
    const project_id = platform.caller.projectId
    const admin = platform.as(platform.adminKey)
    await admin.post('/v1/organization/audit_logs/activate', {})
    const { id } = await adminOf(platform).projects.serviceAccounts.create(project_id, { name: 'one' })
    const path = `/v1/organization/projects/${project_id}/service_accounts/${id}`
    expect(await (await admin.post(path, { name: 'two' })).json()).toMatchObject({ id, name: 'two', role: 'member' })
    expect(await (await admin.post(path, { role: 'owner' })).json()).toMatchObject({ name: 'two', role: 'owner' })
    expect(await (await admin.post(path, {})).json()).toMatchObject({ name: 'two', role: 'owner' })
    expect(await (await admin.get(path)).json()).toMatchObject({ name: 'two', role: 'owner' })
    expect((await admin.post(path, { role: 'king' })).status).toBe(400)
    expect((await admin.post(path.replace(id, 'svc_acct_x'), { name: 'x' })).status).toBe(404)
    expect((await platform.post(path, { name: 'x' })).status).not.toBe(200)
    const { data } = (await (
      await admin.get('/v1/organization/audit_logs?event_types[]=service_account.updated')
    ).json()) as { data: object[] }
    expect(data).toMatchObject([
      { 'service_account.updated': { id, changes_requested: { role: 'owner' } } },
      { 'service_account.updated': { id, changes_requested: { name: 'two' } } },
    ])
  })

  it('stay as they are in an archived project, and are known in no other (AST-241)', async () => {
    const platform = await start()
    const { projects } = adminOf(platform)
    const { id: project_id } = await projects.create({ name: 'Orders' })
    const { id } = await projects.serviceAccounts.create(project_id, { name: 'bot' })
    const other = { project_id: platform.caller.projectId }
    expect(await refusalOf(projects.serviceAccounts.retrieve(id, other))).toMatchObject({ status: 404 })
    expect(await refusalOf(projects.serviceAccounts.delete(id, other))).toMatchObject({ status: 404 })
    await projects.archive(project_id)
    const refused = await refusalOf(projects.serviceAccounts.delete(id, { project_id }))
    expect(refused).toMatchObject({ status: 400, code: 'project_archived' })
    expect((await projects.serviceAccounts.retrieve(id, { project_id })).id).toBe(id)
  })
})
