import { expect, it } from 'vitest'
import { describePlatform } from '../../../testing/describe-platform.ts'
import { checkPublished } from '../../../testing/published-schemas.ts'
import { errorOf } from '../../../testing/requests.ts'
import { adminOf, allOf, refusalOf } from '../testing/admin-client.ts'

describePlatform('projects', (start) => {
  it('are created, listed, shown and renamed (AST-200, AST-201, AST-214, AST-216, AST-217, AST-218, AST-222, AST-223)', async () => {
    const platform = await start()
    const { projects } = adminOf(platform)
    const made = await projects.create({ name: '  Orders ' })
    expect(made).toEqual({
      object: 'organization.project',
      id: expect.stringMatching(/^proj_/),
      name: 'Orders',
      created_at: expect.any(Number),
      archived_at: null,
      status: 'active',
    })
    checkPublished('Project', made)
    expect(await projects.retrieve(made.id)).toEqual(made)
    const renamed = await projects.update(made.id, { name: 'Invoices' })
    expect(renamed).toEqual({ ...made, name: 'Invoices' })
    const first = await projects.list({ limit: 1 })
    expect(first.data).toEqual([renamed])
    expect(first.has_more).toBe(true)
    const rest = await projects.list({ limit: 1, after: made.id })
    expect(rest.data.map(({ id }) => id)).toEqual([platform.caller.projectId])
    expect((await projects.list({ after: rest.last_id })).data).toEqual([])
    expect(await allOf(projects.list({ limit: 1 }))).toHaveLength(2)
    const raw = await (await platform.as(platform.adminKey).get('/v1/organization/projects')).json()
    expect(raw).toMatchObject({ object: 'list', has_more: false })
    checkPublished('ProjectListResponse', raw)
    // Whoever made it is in it.
    const people = await projects.users.list(made.id)
    expect(people.data).toMatchObject([{ id: platform.caller.actor.id, role: 'owner' }])
  })

  it('are archived for good: not used, not updated, shown only when asked for (AST-215, AST-219, AST-220, AST-221)', async () => {
    const platform = await start()
    const { projects } = adminOf(platform)
    const second = await platform.addProject('second')
    const id = second.caller.projectId
    expect((await second.get('/v1/models')).status).toBe(200)
    const archived = await projects.archive(id)
    expect(archived).toMatchObject({ id, status: 'archived', archived_at: expect.any(Number) })
    checkPublished('Project', archived)
    const refused = await second.get('/v1/models')
    expect(refused.status).toBe(401)
    expect((await errorOf(refused)).code).toBe('invalid_api_key')
    const noLonger = { status: 400, code: 'project_archived' }
    const user_id = platform.caller.actor.id
    const changes = [
      () => projects.update(id, { name: 'other' }),
      () => projects.users.create(id, { user_id, role: 'member' }),
      () => projects.users.update(user_id, { project_id: id, role: 'member' }),
      () => projects.serviceAccounts.create(id, { name: 'bot' }),
    ]
    for (const change of changes) expect(await refusalOf(change())).toMatchObject(noLonger)
    expect(await projects.retrieve(id)).toEqual(archived)
    // Again changes nothing: a lost answer may be asked for once more.
    expect(await projects.archive(id)).toEqual(archived)
    expect((await projects.list()).data.map((project) => project.id)).not.toContain(id)
    expect((await projects.list({ include_archived: false })).data).toHaveLength(1)
    expect((await projects.list({ include_archived: true })).data.map((project) => project.id)).toContain(id)
  })

  it('keep the Default one as it is (AST-224, AST-225)', async () => {
    const platform = await start()
    const { projects } = adminOf(platform)
    const id = platform.caller.projectId
    const before = await projects.retrieve(id)
    const refused = { status: 400, code: 'default_project' }
    expect(await refusalOf(projects.update(id, { name: 'other' }))).toMatchObject(refused)
    expect(await refusalOf(projects.archive(id))).toMatchObject(refused)
    expect(await projects.retrieve(id)).toEqual(before)
    expect((await platform.get('/v1/models')).status).toBe(200)
  })

  it('refuse what makes no sense, and say why', async () => {
    const platform = await start()
    const admin = platform.as(platform.adminKey)
    const path = '/v1/organization/projects'
    const cases: [unknown, string | null, string | null][] = [
      [{}, 'name', 'missing_required_parameter'],
      [{ name: '' }, 'name', 'string_below_min_length'],
      [{ name: '   ' }, 'name', 'invalid_value'],
      [{ name: 'a\u0000b' }, 'name', null],
      [{ name: 'a\tb' }, 'name', 'invalid_value'],
      [{ name: 'x'.repeat(257) }, 'name', 'string_above_max_length'],
      [{ name: 7 }, 'name', 'invalid_type'],
      [{ name: 'a', color: 'red' }, 'color', 'unknown_parameter'],
    ]
    for (const [body, param, code] of cases) {
      const response = await admin.post(path, body as object)
      expect([body, response.status]).toEqual([body, 400])
      const error = await errorOf(response)
      expect([body, error.param]).toEqual([body, param])
      if (code !== null) expect([body, error.code]).toEqual([body, code])
    }
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'after=nonsense', 'include_archived=perhaps', 'page=2']) {
      expect([query, (await admin.get(`${path}?${query}`)).status]).toEqual([query, 400])
    }
    expect((await adminOf(platform).projects.list()).data).toHaveLength(1)
  })
})
