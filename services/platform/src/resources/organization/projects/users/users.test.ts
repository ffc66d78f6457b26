import { expect, it } from 'vitest'
import { describePlatform } from '../../../../testing/describe-platform.ts'
import { checkPublished } from '../../../../testing/published-schemas.ts'
import { addPerson, adminOf, allOf, refusalOf } from '../../testing/admin-client.ts'

describePlatform('users of a project', (start) => {
  it('are added, listed, shown, changed and removed (AST-200, AST-201, AST-202, AST-226, AST-227, AST-229, AST-230, AST-231, AST-234)', async () => {
    const platform = await start()
    const { projects } = adminOf(platform)
    const { id: project_id } = await projects.create({ name: 'Orders' })
    const { id } = await addPerson(platform, 'Ada')
    const added = await projects.users.create(project_id, { user_id: id, role: 'member' })
    expect(added).toEqual({
      object: 'organization.project.user',
      id,
      name: 'Ada',
      email: 'ada@example.com',
      role: 'member',
      added_at: expect.any(Number),
    })
    checkPublished('ProjectUser', added)
    expect(await projects.users.retrieve(id, { project_id })).toEqual(added)
    const first = await projects.users.list(project_id, { limit: 1 })
    expect(first.data).toEqual([added])
    expect(first.has_more).toBe(true)
    const rest = await projects.users.list(project_id, { limit: 1, after: id })
    expect(rest.data).toMatchObject([{ id: platform.caller.actor.id, role: 'owner' }])
    expect(await allOf(projects.users.list(project_id, { limit: 1 }))).toHaveLength(2)
    const changed = await projects.users.update(id, { project_id, role: 'owner' })
    expect(changed).toEqual({ ...added, role: 'owner' })
    const deleted = await projects.users.delete(id, { project_id })
    expect(deleted).toEqual({ object: 'organization.project.user.deleted', id, deleted: true })
    checkPublished('ProjectUserDeleteResponse', deleted)
    expect(await refusalOf(projects.users.retrieve(id, { project_id }))).toMatchObject({ status: 404 })
    const raw = await platform.as(platform.adminKey).get(`/v1/organization/projects/${project_id}/users`)
    checkPublished('ProjectUserListResponse', await raw.json())
  })

  it('lose their keys of the project with their place in it', async () => {
    const platform = await start()
    const { projects } = adminOf(platform)
    const { id: project_id } = await projects.create({ name: 'Orders' })
    const { id } = await addPerson(platform, 'Ada')
    await projects.users.create(project_id, { user_id: id, role: 'member' })
    const { organizationId } = platform.caller
    const { projectKeys } = platform.platform.identity
    const key = await projectKeys.create(organizationId, project_id, { userId: id, name: 'key' })
    expect((await platform.as(key.secret).get('/v1/models')).status).toBe(200)
    await projects.users.delete(id, { project_id })
    expect((await platform.as(key.secret).get('/v1/models')).status).toBe(401)
  })

  it('come from the organization, once, and stay in the Default project (AST-228, AST-233)', async () => {
    const platform = await start()
    const { projects } = adminOf(platform)
    const { id: project_id } = await projects.create({ name: 'Orders' })
    const elsewhere = await platform.platform.identity.organizations.create('Elsewhere', {
      name: 'Eve',
      email: 'eve@example.com',
    })
    const add = (user_id: string) => refusalOf(projects.users.create(project_id, { user_id, role: 'member' }))
    const foreign = await add(elsewhere.owner.id)
    expect(foreign).toMatchObject({ status: 400, code: 'not_organization_member', param: 'user_id' })
    const missing = await add('user-absent')
    expect(foreign?.message.replace(elsewhere.owner.id, 'user-absent')).toBe(missing?.message)
    const { id } = await addPerson(platform, 'Ada')
    expect(await add(id)).toBeUndefined()
    expect(await add(id)).toMatchObject({ status: 400, code: 'already_member' })
    const inDefault = { project_id: platform.caller.projectId }
    expect((await projects.users.retrieve(id, inDefault)).role).toBe('member')
    const refused = await refusalOf(projects.users.delete(id, inDefault))
    expect(refused).toMatchObject({ status: 400, code: 'default_project' })
    expect((await projects.users.retrieve(id, inDefault)).id).toBe(id)
    await adminOf(platform).users.delete(id)
    expect(await refusalOf(projects.users.retrieve(id, inDefault))).toMatchObject({ status: 404 })
  })

  it('stay as they are in an archived project (AST-232)', async () => {
    const platform = await start()
    const { projects } = adminOf(platform)
    const { id: project_id } = await projects.create({ name: 'Orders' })
    const { id } = await addPerson(platform, 'Ada')
    await projects.users.create(project_id, { user_id: id, role: 'member' })
    await projects.archive(project_id)
    const refused = { status: 400, code: 'project_archived' }
    expect(await refusalOf(projects.users.delete(id, { project_id }))).toMatchObject(refused)
    expect((await projects.users.list(project_id)).data.map((user) => user.id)).toContain(id)
  })
})
