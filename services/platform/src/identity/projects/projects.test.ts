import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { bearer, firstPage, foundAcme, openIdentity, problemOf } from '../testing/identity-fixture.ts'

describeBothDatabases('projects', (open) => {
  it('are created, renamed and archived', async () => {
    const { identity, clock } = await openIdentity(open)
    const { organizationId, ada } = await foundAcme(identity)
    const project = await identity.projects.create(organizationId, { name: ' Team ', creatorId: ada.id })
    expect(project).toEqual({
      id: expect.stringMatching(/^proj_\w{24}$/),
      organizationId,
      name: 'Team',
      status: 'active',
      isDefault: false,
      createdAt: Math.floor(clock.now() / 1000),
      archivedAt: null,
    })
    expect((await identity.projectMembers.get(organizationId, project.id, ada.id)).role).toBe('owner')
    expect((await identity.projects.rename(organizationId, project.id, 'Crew')).name).toBe('Crew')
    clock.advanceSeconds(60)
    const archived = await identity.projects.archive(organizationId, project.id)
    expect(archived).toMatchObject({ status: 'archived', archivedAt: Math.floor(clock.now() / 1000), name: 'Crew' })
    clock.advanceSeconds(60)
    expect(await identity.projects.archive(organizationId, project.id)).toEqual(archived)
    expect(await identity.projects.get(organizationId, project.id)).toEqual(archived)
  })

  it('cannot be changed once archived', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada } = await foundAcme(identity)
    const { id } = await identity.projects.create(organizationId, { name: 'Team', creatorId: ada.id })
    const { account } = await identity.serviceAccounts.create(organizationId, id, 'bot')
    await identity.projects.archive(organizationId, id)
    const refused = { kind: 'archived_project', projectId: id }
    const member = { userId: ada.id, role: 'owner' as const }
    for (const change of [
      () => identity.projects.rename(organizationId, id, 'Crew'),
      () => identity.projectMembers.add(organizationId, id, member),
      () => identity.projectMembers.changeRole(organizationId, id, ada.id, 'member'),
      () => identity.projectMembers.remove(organizationId, id, ada.id),
      () => identity.serviceAccounts.create(organizationId, id, 'bot'),
      () => identity.serviceAccounts.remove(organizationId, id, account.id),
      () => identity.projectKeys.create(organizationId, id, { userId: ada.id, name: 'k' }),
    ]) {
      expect(await problemOf(change())).toEqual(refused)
    }
    expect((await identity.projectMembers.list(organizationId, id, firstPage)).rows).toHaveLength(1)
  })

  it('keep the Default project as it is', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada, defaultProject } = await foundAcme(identity)
    const { id } = defaultProject
    const refusal = (action: string) => ({ kind: 'default_project', action })
    expect(await problemOf(identity.projects.rename(organizationId, id, 'x'))).toEqual(refusal('rename'))
    expect(await problemOf(identity.projects.archive(organizationId, id))).toEqual(refusal('archive'))
    const leaving = problemOf(identity.projectMembers.remove(organizationId, id, ada.id))
    expect(await leaving).toEqual(refusal('remove_member'))
    expect(await identity.projects.get(organizationId, id)).toEqual(defaultProject)
  })

  it('are listed a page at a time, archived ones on request', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada, defaultProject } = await foundAcme(identity)
    const ids = [defaultProject.id]
    for (const name of ['one', 'two']) {
      ids.push((await identity.projects.create(organizationId, { name, creatorId: ada.id })).id)
    }
    await identity.projects.archive(organizationId, ids[1]!)
    const list = async (includeArchived: boolean, after?: string) => {
      const page = await identity.projects.list(organizationId, {
        includeArchived,
        limit: 2,
        order: 'asc',
        ...(after && { after }),
      })
      return [...page.rows.map((row) => row.id), page.hasMore]
    }
    expect(await list(false)).toEqual([ids[0], ids[2], false])
    expect(await list(true)).toEqual([ids[0], ids[1], true])
    expect(await list(true, ids[1])).toEqual([ids[2], false])
    expect(await list(true, ids[2])).toEqual([false])
  })

  it('of another organization are not found, just like none', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId } = await foundAcme(identity)
    const other = await identity.organizations.create('Other', { name: 'Eve', email: 'eve@example.com' })
    for (const id of [other.defaultProject.id, 'proj_none', 'proj_\0']) {
      const unknown = { kind: 'not_found', noun: 'project', id }
      expect(await problemOf(identity.projects.get(organizationId, id))).toEqual(unknown)
      expect(await problemOf(identity.projects.rename(organizationId, id, 'x'))).toEqual(unknown)
      expect(await problemOf(identity.projects.archive(organizationId, id))).toEqual(unknown)
      expect(await problemOf(identity.projectMembers.list(organizationId, id, firstPage))).toEqual(unknown)
      expect(await problemOf(identity.serviceAccounts.list(organizationId, id, firstPage))).toEqual(unknown)
      expect(await problemOf(identity.projectKeys.list(organizationId, id, firstPage))).toEqual(unknown)
    }
  })

  it('refuse a name without letters to show', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada } = await foundAcme(identity)
    const invalid = { kind: 'invalid_name', maxLength: 256 }
    const nameless = problemOf(identity.projects.create(organizationId, { name: ' ', creatorId: ada.id }))
    expect(await nameless).toEqual(invalid)
    const { id } = await identity.projects.create(organizationId, { name: 'Team', creatorId: ada.id })
    expect(await problemOf(identity.projects.rename(organizationId, id, 'a\0b'))).toEqual(invalid)
  })
})

describeBothDatabases('members of a project', (open) => {
  it('come, change their role and go, and their keys go with them', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada } = await foundAcme(identity)
    const project = await identity.projects.create(organizationId, { name: 'Team', creatorId: ada.id })
    const bob = await identity.users.add(organizationId, { name: 'Bob', email: 'bob@example.com', role: 'member' })
    const newKey = { userId: bob.id, name: 'k' }
    const noAccess = problemOf(identity.projectKeys.create(organizationId, project.id, newKey))
    expect(await noAccess).toEqual({ kind: 'no_project_access', userId: bob.id, projectId: project.id })

    const member = { userId: bob.id, role: 'member' as const }
    const added = await identity.projectMembers.add(organizationId, project.id, member)
    expect(added).toMatchObject({ id: bob.id, name: 'Bob', email: 'bob@example.com', role: 'member' })
    expect(await problemOf(identity.projectMembers.add(organizationId, project.id, member))).toEqual({
      kind: 'already_member',
      of: 'project',
      member: bob.id,
    })
    const { secret } = await identity.projectKeys.create(organizationId, project.id, newKey)
    expect((await identity.authenticate(bearer(secret), 'project')).projectRole).toBe('member')

    const promoted = await identity.projectMembers.changeRole(organizationId, project.id, bob.id, 'owner')
    expect(promoted).toEqual({ ...added, role: 'owner' })
    expect((await identity.authenticate(bearer(secret), 'project')).projectRole).toBe('owner')
    const { rows } = await identity.projectMembers.list(organizationId, project.id, firstPage)
    expect(rows.map((row) => [row.id, row.role])).toEqual([
      [ada.id, 'owner'],
      [bob.id, 'owner'],
    ])

    await identity.projectMembers.remove(organizationId, project.id, bob.id)
    expect(await problemOf(identity.authenticate(bearer(secret), 'project'))).toMatchObject({ kind: 'bad_key' })
    expect(await problemOf(identity.projectMembers.get(organizationId, project.id, bob.id))).toEqual({
      kind: 'not_found',
      noun: 'project_member',
      id: bob.id,
    })
  })

  it('must belong to the organization', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada } = await foundAcme(identity)
    const project = await identity.projects.create(organizationId, { name: 'Team', creatorId: ada.id })
    const other = await identity.organizations.create('Other', { name: 'Eve', email: 'eve@example.com' })
    for (const userId of [other.owner.id, 'user-none', 'user-\0']) {
      const refused = problemOf(identity.projectMembers.add(organizationId, project.id, { userId, role: 'member' }))
      expect(await refused).toEqual({ kind: 'not_organization_member', userId })
    }
  })

  it('lose the projects they only had as an owner of the organization', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada } = await foundAcme(identity)
    const project = await identity.projects.create(organizationId, { name: 'Team', creatorId: ada.id })
    const bob = await identity.users.add(organizationId, { name: 'Bob', email: 'bob@example.com', role: 'owner' })
    const { secret } = await identity.projectKeys.create(organizationId, project.id, { userId: bob.id, name: 'k' })
    await identity.authenticate(bearer(secret), 'project')
    await identity.users.changeRole(organizationId, bob.id, 'member')
    expect(await problemOf(identity.authenticate(bearer(secret), 'project'))).toMatchObject({ kind: 'bad_key' })
  })
})
