import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { bearer, firstPage, foundAcme, openIdentity, problemOf } from '../testing/identity-fixture.ts'

describeBothDatabases('project keys', (open) => {
  it('are listed with their owners and never with their secret', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, defaultProject, ada, secret, keyId } = await foundAcme(identity)
    const { account, key } = await identity.serviceAccounts.create(organizationId, defaultProject.id, 'bot')
    const { rows, hasMore } = await identity.projectKeys.list(organizationId, defaultProject.id, firstPage)
    expect(hasMore).toBe(false)
    const created = { createdAt: ada.addedAt, lastUsedAt: null }
    expect(rows).toEqual([
      {
        id: keyId,
        name: 'first',
        redactedValue: `sk-proj-${secret.slice(8, 10)}***${secret.slice(-2)}`,
        ...created,
        owner: {
          type: 'user',
          user: { id: ada.id, name: 'Ada', email: 'ada@example.com', role: 'owner', createdAt: ada.addedAt },
        },
      },
      { id: key.id, name: 'Secret Key', redactedValue: key.redactedValue, ...created, owner: expect.anything() },
    ])
    expect(rows[1]?.owner).toEqual({ type: 'service_account', serviceAccount: account })
    expect(await identity.projectKeys.get(organizationId, defaultProject.id, keyId)).toEqual(rows[0])
    expect(JSON.stringify(rows)).not.toContain(secret.slice(12, -4))
    const second = await identity.projectKeys.list(organizationId, defaultProject.id, { ...firstPage, after: keyId })
    expect(second.rows).toEqual([rows[1]])
  })

  it('of a service account cannot be deleted on their own', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, defaultProject } = await foundAcme(identity)
    const { key } = await identity.serviceAccounts.create(organizationId, defaultProject.id, 'bot')
    const refused = problemOf(identity.projectKeys.remove(organizationId, defaultProject.id, key.id))
    expect(await refused).toEqual({ kind: 'service_account_key', keyId: key.id })
    await identity.authenticate(bearer(key.secret), 'project')
  })

  it('are found and deleted through their own project only', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, defaultProject, ada, keyId } = await foundAcme(identity)
    const other = await identity.projects.create(organizationId, { name: 'other', creatorId: ada.id })
    for (const [project, id] of [
      [other.id, keyId],
      [defaultProject.id, 'key_none'],
      [defaultProject.id, 'key_\0'],
    ] as const) {
      const unknown = { kind: 'not_found', noun: 'api_key', id }
      expect(await problemOf(identity.projectKeys.get(organizationId, project, id))).toEqual(unknown)
      expect(await problemOf(identity.projectKeys.remove(organizationId, project, id))).toEqual(unknown)
    }
    await identity.projectKeys.remove(organizationId, defaultProject.id, keyId)
    expect((await identity.projectKeys.list(organizationId, defaultProject.id, firstPage)).rows).toEqual([])
  })

  it('can still be deleted in an archived project', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada } = await foundAcme(identity)
    const { id } = await identity.projects.create(organizationId, { name: 'old', creatorId: ada.id })
    const key = await identity.projectKeys.create(organizationId, id, { userId: ada.id, name: 'k' })
    await identity.projects.archive(organizationId, id)
    await identity.projectKeys.remove(organizationId, id, key.id)
    expect((await identity.projectKeys.list(organizationId, id, firstPage)).rows).toEqual([])
  })
})

describeBothDatabases('legacy user keys', (open) => {
  it('are created, listed and deleted by their user', async () => {
    const { identity } = await openIdentity(open)
    const { ada, keyId } = await foundAcme(identity)
    const { secret, ...key } = await identity.userKeys.create({ userId: ada.id, name: 'legacy' })
    expect((await identity.userKeys.list(ada.id, firstPage)).rows).toEqual([{ ...key, lastUsedAt: null }])
    expect(await problemOf(identity.userKeys.remove(ada.id, keyId))).toMatchObject({ kind: 'not_found' })
    await identity.authenticate(bearer(secret), 'project')
    await identity.userKeys.remove(ada.id, key.id)
    expect(await problemOf(identity.authenticate(bearer(secret), 'project'))).toMatchObject({ kind: 'bad_key' })
    expect(await problemOf(identity.userKeys.create({ userId: 'user-none', name: 'k' }))).toEqual({
      kind: 'not_found',
      noun: 'user',
      id: 'user-none',
    })
  })
})

describeBothDatabases('admin keys', (open) => {
  it('are created for owners, listed and deleted', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada, keyId } = await foundAcme(identity)
    const bob = await identity.users.add(organizationId, { name: 'Bob', email: 'bob@example.com', role: 'member' })
    expect(await problemOf(identity.adminKeys.create(organizationId, { userId: bob.id, name: 'k' }))).toEqual({
      kind: 'owners_only',
      userId: bob.id,
    })
    const { secret, ...key } = await identity.adminKeys.create(organizationId, { userId: ada.id, name: 'admin' })
    const holder = { id: ada.id, name: 'Ada', role: 'owner', createdAt: expect.any(Number) }
    const listed = { ...key, lastUsedAt: null, holder }
    expect(await identity.adminKeys.get(organizationId, key.id)).toEqual(listed)
    expect((await identity.adminKeys.list(organizationId, firstPage)).rows).toEqual([listed])
    expect(await problemOf(identity.adminKeys.get(organizationId, keyId))).toMatchObject({ kind: 'not_found' })
    expect(await problemOf(identity.adminKeys.remove('org-none', key.id))).toMatchObject({ kind: 'not_found' })
    await identity.authenticate(bearer(secret), 'admin')
    await identity.adminKeys.remove(organizationId, key.id)
    expect(await problemOf(identity.authenticate(bearer(secret), 'admin'))).toMatchObject({ kind: 'bad_key' })
  })

  it('stop when their holder is no owner any more', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId } = await foundAcme(identity)
    const bob = await identity.users.add(organizationId, { name: 'Bob', email: 'bob@example.com', role: 'owner' })
    const { secret } = await identity.adminKeys.create(organizationId, { userId: bob.id, name: 'admin' })
    await identity.authenticate(bearer(secret), 'admin')
    await identity.users.changeRole(organizationId, bob.id, 'reader')
    expect(await problemOf(identity.authenticate(bearer(secret), 'admin'))).toMatchObject({ kind: 'bad_key' })
  })
})

describeBothDatabases('service accounts', (open) => {
  it('are born with a key shown once, and end with it', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, defaultProject } = await foundAcme(identity)
    const { account, key } = await identity.serviceAccounts.create(organizationId, defaultProject.id, 'bot')
    expect(account).toMatchObject({ id: expect.stringMatching(/^svc_acct_\w{24}$/), name: 'bot', role: 'member' })
    expect(key).toMatchObject({ id: expect.stringMatching(/^key_\w{24}$/), name: 'Secret Key' })
    expect(key.secret).toMatch(/^sk-svcacct-\w{48}$/)
    expect(await identity.serviceAccounts.get(organizationId, defaultProject.id, account.id)).toEqual(account)
    const listed = await identity.serviceAccounts.list(organizationId, defaultProject.id, firstPage)
    expect(listed).toEqual({ rows: [account], hasMore: false })
    await identity.authenticate(bearer(key.secret), 'project')
    await identity.serviceAccounts.remove(organizationId, defaultProject.id, account.id)
    expect(await problemOf(identity.authenticate(bearer(key.secret), 'project'))).toMatchObject({ kind: 'bad_key' })
    const gone = { kind: 'not_found', noun: 'service_account', id: account.id }
    expect(await problemOf(identity.serviceAccounts.get(organizationId, defaultProject.id, account.id))).toEqual(gone)
    const again = problemOf(identity.serviceAccounts.remove(organizationId, defaultProject.id, account.id))
    expect(await again).toEqual(gone)
  })
})
