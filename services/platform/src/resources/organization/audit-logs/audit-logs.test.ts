import { expect, it } from 'vitest'
import { indexLogs } from '../../../audit/store.ts'
import { verifyLog } from '../../../audit/verify.ts'
import { describePlatform, type StartPlatform, type TestPlatform } from '../../../testing/describe-platform.ts'
import { checkPublished } from '../../../testing/published-schemas.ts'
import { adminOf, allOf, refusalOf } from '../testing/admin-client.ts'

const path = '/v1/organization/audit_logs'

async function activated(start: StartPlatform) {
  const platform = await start()
  const admin = platform.as(platform.adminKey)
  expect((await admin.post(`${path}/activate`)).status).toBe(200)
  return { platform, admin, organization: adminOf(platform) }
}

const typesOf = (entries: { type: string }[]): string[] => entries.map(({ type }) => type)

async function listed(admin: TestPlatform, query: string): Promise<{ type: string; id: string }[]> {
  const response = await admin.get(`${path}?${query}`)
  expect(response.status).toBe(200)
  const { data } = (await response.json()) as unknown as { data: { type: string; id: string }[] }
  return data
}

async function refusesNonsense(platform: TestPlatform, admin: TestPlatform): Promise<void> {
  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['after=audit_log-none', 'after'],
    ['before=x', 'before'],
    ['type=PROJECT', 'type'],
    ['effective_at=5', 'effective_at'],
    ['effective_at[gt]=soon', 'effective_at.gt'],
    ['effective_at[around]=5', 'effective_at.around'],
    ['project_ids[]=', 'project_ids'],
    ['unknown=1', 'unknown'],
  ]) {
    const response = await admin.get(`${path}?${query}`)
    const { error } = await response.json()
    expect({ query, status: response.status }).toEqual({ query, status: 400 })
    expect(error.param).toMatch(new RegExp(`^${param}`))
  }
  expect((await platform.get(path)).status).toBe(403)
  expect((await platform.as('sk-admin-wrong').get(path)).status).toBe(401)
}

describePlatform('the audit log', (start) => {
  it('has no entry before it is activated, is activated once, and cannot be switched off (AST-263, AST-264)', async () => {
    const platform = await start()
    const admin = platform.as(platform.adminKey)
    const organization = adminOf(platform)
    await organization.projects.create({ name: 'Before' })
    expect((await organization.auditLogs.list()).data).toEqual([])
    const settings = await (await admin.post(`${path}/activate`)).json()
    const audit_logging = { activated: true, activated_at: expect.any(Number) }
    expect(settings).toEqual({ object: 'organization.settings', audit_logging })
    expect(await (await admin.post(`${path}/activate`)).json()).toEqual(settings)
    const off = await admin.post(`${path}/deactivate`)
    expect({ status: off.status, code: (await off.json()).error.code }).toEqual({
      status: 400,
      code: 'audit_log_permanent',
    })
    for (const method of ['DELETE', 'PATCH', 'PUT']) expect((await admin.request(method, path)).status).toBe(405)
    await organization.projects.create({ name: 'After' })
    expect(typesOf(await allOf(organization.auditLogs.list()))).toEqual(['project.created', 'organization.updated'])
  })

  it('tells of a change by whom, where, when and what, in the documented shape (AST-255, AST-258, AST-259, AST-261)', async () => {
    const { platform, organization } = await activated(start)
    const project = await organization.projects.create({ name: 'Rocket' })
    const { identity } = platform.platform
    const { organizationId, actor } = platform.caller
    await identity.projectKeys.create(organizationId, project.id, { userId: actor.id, name: 'k' })
    const page = await organization.auditLogs.list()
    const [key, created] = page.data
    expect(created).toEqual({
      id: expect.stringMatching(/^audit_log-/),
      type: 'project.created',
      effective_at: expect.any(Number),
      project: { id: project.id, name: 'Rocket' },
      actor: {
        type: 'api_key',
        api_key: {
          id: expect.stringMatching(/^key_/),
          type: 'user',
          user: { id: actor.id, email: 'owner@localhost' },
          ip_address: '127.0.0.1',
          user_agent: expect.stringContaining('OpenAI/JS'),
        },
      },
      'project.created': { id: project.id, data: { name: 'Rocket', title: 'Rocket' } },
    })
    expect(key).toMatchObject({
      type: 'api_key.created',
      actor: { type: 'system' },
      'api_key.created': { id: expect.stringMatching(/^key_/), data: { scopes: ['api.all'] } },
    })
    expect(Math.abs((created?.effective_at ?? 0) - Date.now() / 1000)).toBeLessThan(60)
    checkPublished('AuditLog', created)
    const list = await (await platform.as(platform.adminKey).get(path)).json()
    expect(list).toMatchObject({ object: 'list', first_id: key?.id, has_more: false })
    expect(list.last_id).toBe(list.data.at(-1)?.id)
  })

  it('has exactly one entry for every kind of change, and none for what was refused (AST-260)', async () => {
    const { platform, organization } = await activated(start)
    const { organizationId } = platform.caller
    const by = platform.platform.identity.as({ type: 'system' })
    const person = await by.users.add(organizationId, { name: 'Bo', email: 'Bo@example.com', role: 'member' })
    await organization.users.update(person.id, { role: 'reader' })
    const project = await organization.projects.create({ name: 'P' })
    await organization.projects.update(project.id, { name: 'Q' })
    await organization.projects.users.create(project.id, { user_id: person.id, role: 'member' })
    await organization.projects.users.update(person.id, { project_id: project.id, role: 'owner' })
    const key = await by.projectKeys.create(organizationId, project.id, { userId: person.id, name: 'k' })
    await by.projectKeys.rename(organizationId, project.id, key.id, 'better')
    await organization.projects.apiKeys.delete(key.id, { project_id: project.id })
    await organization.projects.users.delete(person.id, { project_id: project.id })
    const account = await organization.projects.serviceAccounts.create(project.id, { name: 'bot' })
    await organization.projects.serviceAccounts.delete(account.id, { project_id: project.id })
    const adminKey = await organization.adminAPIKeys.create({ name: 'second' })
    await organization.adminAPIKeys.delete(adminKey.id)
    await organization.projects.archive(project.id)
    await organization.projects.archive(project.id)
    await by.organizations.rename(organizationId, 'Renamed')
    await organization.users.delete(person.id)
    expect(await refusalOf(organization.projects.update(project.id, { name: 'no' }))).toMatchObject({ status: 400 })
    expect(await refusalOf(organization.users.delete('user-none'))).toMatchObject({ status: 404 })
    expect(typesOf(await allOf(organization.auditLogs.list({ limit: 5 }))).reverse()).toEqual([
      'organization.updated',
      ...['user.added', 'user.updated', 'project.created', 'project.updated', 'user.added', 'user.updated'],
      ...['api_key.created', 'api_key.updated', 'api_key.deleted', 'user.deleted'],
      ...['service_account.created', 'service_account.deleted'],
      ...['api_key.created', 'api_key.deleted', 'project.archived', 'organization.updated', 'user.deleted'],
    ])
    expect(await verifyLog(platform.kernel.db.queries, organizationId)).toMatchObject({ intact: true, entries: 18 })
  })

  it('tells over the API whether the log is as it was written, and which entry is not', async () => {
    const platform = await start()
    const admin = platform.as(platform.adminKey)
    const verification = async () => (await admin.get(`${path}/verification`)).json()
    expect(await verification()).toMatchObject({ error: { code: 'audit_log_inactive' } })
    await admin.post(`${path}/activate`)
    for (const name of ['One', 'Two']) await adminOf(platform).projects.create({ name })
    const object = 'organization.audit_log.verification'
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    const intact = { object, intact: true, entries: 3, hash }
    expect(await Promise.all([verification(), verification()])).toEqual([intact, intact])
    const { queries } = platform.kernel.db
    await queries.updateTable('audit_entries').set({ entry: '{}' }).where('seq', '=', 2).execute()
    expect(await verification()).toEqual({ object, intact: false, entries: 1, broken_at: 2, problem: 'changed' })
    expect((await platform.get(`${path}/verification`)).status).toBe(403)
  })

  it('finds entries by kind, project, actor, address, resource and time, in every spelling (AST-256)', async () => {
    const { platform, admin, organization } = await activated(start)
    const one = await organization.projects.create({ name: 'One' })
    const two = await organization.projects.create({ name: 'Two' })
    await organization.projects.archive(two.id)
    const created = ['project.created', 'project.created']
    expect(typesOf(await listed(admin, 'type=project.created'))).toEqual(created)
    const both = ['project.archived', ...created]
    for (const spelling of [
      'event_types[]=project.created&event_types[]=project.archived',
      'event_types=project.created&event_types=project.archived',
      'event_types=project.created,project.archived',
      'type=project.created&event_types=project.archived',
      'event_types%5B%5D=project.created,role.created&type=project.archived',
    ]) {
      expect(typesOf(await listed(admin, spelling))).toEqual(both)
    }
    const { auditLogs } = organization
    expect(typesOf((await auditLogs.list({ project_ids: [two.id] })).data)).toEqual([
      'project.archived',
      'project.created',
    ])
    expect((await auditLogs.list({ resource_ids: [one.id] })).data).toMatchObject([
      { 'project.created': { id: one.id } },
    ])
    const { actor } = platform.caller
    const { keyId } = await platform.platform.identity.authenticate(
      { headers: { authorization: `Bearer ${platform.adminKey}` } },
      'admin',
    )
    for (const actor_ids of [[actor.id], [keyId], ['user-other', keyId]]) {
      expect((await auditLogs.list({ actor_ids })).data).toHaveLength(4)
    }
    expect((await auditLogs.list({ actor_ids: ['user-other'] })).data).toEqual([])
    expect((await auditLogs.list({ actor_emails: ['OWNER@localhost', 'x@y'] })).data).toHaveLength(4)
    expect((await auditLogs.list({ actor_emails: ['x@y'] })).data).toEqual([])
    const [newest] = (await auditLogs.list({ limit: 1 })).data
    const at = newest?.effective_at ?? 0
    expect((await auditLogs.list({ effective_at: { gt: at } })).data).toEqual([])
    expect((await auditLogs.list({ effective_at: { gte: at } })).data).not.toEqual([])
    expect((await auditLogs.list({ effective_at: { lte: at } })).data).toHaveLength(4)
    expect((await auditLogs.list({ effective_at: { gte: at + 1, lt: at + 9 } })).data).toEqual([])
  })

  it('is read page by page from any entry, in both directions, and refuses cursors and filters it cannot understand (AST-257)', async () => {
    const { platform, admin, organization } = await activated(start)
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await organization.projects.create({ name })
    const all = (await listed(admin, 'limit=100')).map(({ id }) => id)
    expect(all).toHaveLength(7)
    const pages = await allOf(organization.auditLogs.list({ limit: 2 }))
    expect(pages.map(({ id }) => id)).toEqual(all)
    const after = await (await admin.get(`${path}?limit=2&after=${all[1]}`)).json()
    expect(after).toMatchObject({ first_id: all[2], last_id: all[3], has_more: true })
    const before = await (await admin.get(`${path}?limit=2&before=${all[4]}`)).json()
    expect(before).toMatchObject({ first_id: all[2], last_id: all[3], has_more: true })
    const between = await (await admin.get(`${path}?after=${all[0]}&before=${all[3]}`)).json()
    expect(between).toMatchObject({ first_id: all[1], last_id: all[2], has_more: false })
    const filtered = await listed(admin, `type=project.created&limit=1&after=${all[4]}`)
    expect(filtered.map(({ id }) => id)).toEqual([all[5]])
    await refusesNonsense(platform, admin)
  })

  it('shows an organization nothing of another', async () => {
    const { platform, admin } = await activated(start)
    const { organizationId } = await platform.addOrganization('Other')
    const { identity } = platform.platform
    const { secret } = await identity.adminKeys.create(organizationId, { userId: platform.caller.actor.id, name: 'o' })
    const [entry] = await listed(admin, '')
    const other = platform.as(secret)
    expect(await listed(other, '')).toEqual([])
    expect((await other.get(`${path}?after=${entry?.id}`)).status).toBe(400)
    await other.post(`${path}/activate`)
    expect(typesOf(await listed(other, ''))).toEqual(['organization.updated'])
    expect(await listed(admin, '')).toHaveLength(1)
  })

  it('finds entries whether the indexes know them yet or not, each once, from both ends', async () => {
    const { platform, admin } = await activated(start)
    const { db } = platform.kernel
    const { organizationId } = platform.caller
    const { identity } = platform.platform
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await identity.projects.create(organizationId, { name, creatorId: platform.caller.actor.id })
    }
    const all = await listed(admin, 'type=project.created')
    expect(all).toHaveLength(5)
    for (const upTo of [1, 3, 5, 6]) {
      await db.transaction((tx) => indexLogs(tx, organizationId, upTo))
      expect(await listed(admin, 'type=project.created')).toEqual(all)
      expect(await listed(admin, `type=project.created&limit=2&after=${all[0]?.id}`)).toEqual(all.slice(1, 3))
      expect(await listed(admin, `type=project.created&limit=2&before=${all[4]?.id}`)).toEqual(all.slice(2, 4))
      expect(typesOf(await listed(admin, 'effective_at[gt]=1'))).toHaveLength(6)
    }
  })
})
