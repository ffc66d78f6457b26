import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { bearer, firstPage, foundAcme, openIdentity, problemOf } from '../testing/identity-fixture.ts'

const bob = { name: 'Bob', email: 'Bob@Example.com', role: 'member' as const }

describeBothDatabases('organizations and their users', (open) => {
  it('founds an organization with an owner and a Default project', async () => {
    const { identity } = await openIdentity(open)
    const { organization, owner, defaultProject } = await identity.organizations.create('Acme', {
      name: 'Ada',
      email: 'ada@example.com',
    })
    expect(organization.id).toMatch(/^org-\w{24}$/)
    expect(owner).toMatchObject({ role: 'owner', email: 'ada@example.com' })
    expect(owner.id).toMatch(/^user-\w{24}$/)
    expect(defaultProject).toMatchObject({ isDefault: true, status: 'active', organizationId: organization.id })
    expect(await identity.organizations.get(organization.id)).toEqual(organization)
    const renamed = await identity.organizations.rename(organization.id, ' Acme Inc. ')
    expect(renamed.name).toBe('Acme Inc.')
    expect(await identity.organizations.get(organization.id)).toEqual(renamed)
    const nowhere = problemOf(identity.organizations.rename('org-none', 'x'))
    expect(await nowhere).toEqual({ kind: 'not_found', noun: 'organization', id: 'org-none' })
  })

  it('brings a new user into the Default project and refuses the same person twice', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, defaultProject } = await foundAcme(identity)
    const user = await identity.users.add(organizationId, bob)
    expect(user.email).toBe('bob@example.com')
    expect(await identity.users.get(organizationId, user.id)).toEqual(user)
    expect(await identity.projectMembers.get(organizationId, defaultProject.id, user.id)).toMatchObject({
      role: 'member',
      name: 'Bob',
    })
    expect(await problemOf(identity.users.add(organizationId, bob))).toEqual({
      kind: 'already_member',
      of: 'organization',
      member: 'bob@example.com',
    })
  })

  it('lists users a page at a time', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada } = await foundAcme(identity)
    const user = await identity.users.add(organizationId, bob)
    await identity.organizations.create('Other', { name: 'Eve', email: 'eve@example.com' })
    expect(await identity.users.list(organizationId, { limit: 1, order: 'asc' })).toEqual({
      rows: [ada],
      hasMore: true,
    })
    expect(await identity.users.list(organizationId, { limit: 1, order: 'asc', after: ada.id })).toEqual({
      rows: [user],
      hasMore: false,
    })
    expect((await identity.users.list(organizationId, { ...firstPage, after: user.id })).rows).toEqual([])
    expect((await identity.users.list(organizationId, { limit: 2, order: 'desc' })).rows).toEqual([user, ada])
  })

  it('changes a role, but keeps one owner', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada } = await foundAcme(identity)
    const user = await identity.users.add(organizationId, bob)
    const lastOwner = { kind: 'last_owner', userId: ada.id }
    expect(await problemOf(identity.users.changeRole(organizationId, ada.id, 'reader'))).toEqual(lastOwner)
    expect(await problemOf(identity.users.remove(organizationId, ada.id))).toEqual(lastOwner)
    expect((await identity.users.changeRole(organizationId, user.id, 'owner')).role).toBe('owner')
    expect((await identity.users.changeRole(organizationId, ada.id, 'reader')).role).toBe('reader')
    expect((await identity.users.get(organizationId, ada.id)).role).toBe('reader')
  })

  it('keeps one owner when two owners step down at once', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada } = await foundAcme(identity)
    const user = await identity.users.add(organizationId, { ...bob, role: 'owner' })
    const results = await Promise.allSettled(
      [ada.id, user.id].map((id) => identity.users.changeRole(organizationId, id, 'member')),
    )
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected'])
    const { rows } = await identity.users.list(organizationId, firstPage)
    expect(rows.filter((row) => row.role === 'owner')).toHaveLength(1)
  })

  it('ends every key of a user who leaves the organization', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, defaultProject } = await foundAcme(identity)
    const { id: userId } = await identity.users.add(organizationId, { ...bob, role: 'owner' })
    const key = await identity.projectKeys.create(organizationId, defaultProject.id, { userId, name: 'k' })
    const legacy = await identity.userKeys.create({ userId, name: 'legacy' })
    const admin = await identity.adminKeys.create(organizationId, { userId, name: 'admin' })
    await identity.authenticate(bearer(key.secret), 'project')
    await identity.authenticate(bearer(legacy.secret), 'project')
    await identity.authenticate(bearer(admin.secret), 'admin')

    await identity.users.remove(organizationId, userId)
    expect(await problemOf(identity.authenticate(bearer(key.secret), 'project'))).toMatchObject({ kind: 'bad_key' })
    expect(await problemOf(identity.authenticate(bearer(legacy.secret), 'project'))).toMatchObject({ kind: 'bad_key' })
    expect(await problemOf(identity.authenticate(bearer(admin.secret), 'admin'))).toMatchObject({ kind: 'bad_key' })
    expect(await problemOf(identity.users.get(organizationId, userId))).toMatchObject({ kind: 'not_found' })
    const members = await identity.projectMembers.list(organizationId, defaultProject.id, firstPage)
    expect(members.rows.map((row) => row.id)).not.toContain(userId)

    await identity.users.add(organizationId, bob)
    expect(await problemOf(identity.authenticate(bearer(legacy.secret), 'project'))).toMatchObject({ kind: 'bad_key' })
  })

  it('leaves the legacy key of a user who still has another organization, without the one left', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId } = await foundAcme(identity)
    const user = await identity.users.add(organizationId, bob)
    const own = await identity.organizations.create("Bob's", { name: 'Bob', email: 'bob@example.com' })
    const { secret } = await identity.userKeys.create({ userId: user.id, name: 'legacy' })
    await identity.users.remove(organizationId, user.id)
    expect((await identity.authenticate(bearer(secret), 'project')).organizationId).toBe(own.organization.id)
    const gone = identity.authenticate(bearer(secret, { 'vendor-organization': organizationId }), 'project')
    expect(await problemOf(gone)).toEqual({ kind: 'mismatched_organization' })
  })

  it('does not know users of other organizations, nor ids that are none', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId } = await foundAcme(identity)
    const other = await identity.organizations.create('Other', { name: 'Eve', email: 'eve@example.com' })
    for (const id of [other.owner.id, 'user-none', 'user-\0', '']) {
      const unknown = { kind: 'not_found', noun: 'user', id }
      expect(await problemOf(identity.users.get(organizationId, id))).toEqual(unknown)
      expect(await problemOf(identity.users.changeRole(organizationId, id, 'reader'))).toEqual(unknown)
      expect(await problemOf(identity.users.remove(organizationId, id))).toEqual(unknown)
    }
  })
})
