import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import type { Events } from '@atoll/kernel/events/events'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  bearer,
  changesHeard,
  firstPage,
  foundAcme,
  identityOn,
  identityTables,
  openIdentity,
  problemOf,
} from './testing/identity-fixture.ts'

const neverArriving: Events = {
  publish: async () => {},
  subscribe: () => () => {},
  onGap: () => () => {},
  close: async () => {},
}

describeBothDatabases('authentication', (open) => {
  it('knows the holder of a project key and refuses an unknown one', async () => {
    const { identity } = await openIdentity(open)
    const acme = await foundAcme(identity)
    expect(await identity.authenticate(bearer(acme.secret), 'project')).toEqual({
      kind: 'project',
      organizationId: acme.organizationId,
      projectId: acme.defaultProject.id,
      keyId: acme.keyId,
      keyKind: 'project',
      actor: { type: 'user', id: acme.ada.id },
      organizationRole: 'owner',
      projectRole: 'owner',
    })
    expect(await problemOf(identity.authenticate({ headers: {} }, 'project'))).toEqual({ kind: 'no_key' })
    const unknown = 'sk-proj-QWERTYqwertyQWERTYqwerty'
    expect(await problemOf(identity.authenticate(bearer(unknown), 'project'))).toEqual({
      kind: 'bad_key',
      redacted: 'sk-proj-QW***ty',
    })
  })

  it('recalls at once whom it has let in, as they came and until their key ends, and nobody else', async () => {
    const { identity, events } = await openIdentity(open)
    const heard = changesHeard(events, 2)
    const { secret, organizationId, defaultProject, keyId } = await foundAcme(identity)
    await heard
    const head = bearer(secret)
    expect(identity.recall(head, 'project')).toBeUndefined()
    const caller = await identity.authenticate(head, 'project')
    expect(identity.recall(head, 'project')).toEqual(caller)
    expect(identity.recall(head, 'admin')).toBeUndefined()
    const elsewhere = { ...head.headers, 'openai-project': 'proj_elsewhere' }
    expect(identity.recall({ headers: elsewhere }, 'project')).toBeUndefined()
    for (const authorization of ['', 'Bearer ', 'Basic ?', `Bearer ${secret}x`, 'x'.repeat(1_000)]) {
      expect(identity.recall({ headers: { authorization } }, 'project')).toBeUndefined()
    }
    await identity.projectKeys.remove(organizationId, defaultProject.id, keyId)
    expect(identity.recall(head, 'project')).toBeUndefined()
  })

  it('accepts the key as the password of Basic auth', async () => {
    const { identity } = await openIdentity(open)
    const acme = await foundAcme(identity)
    const authorization = `Basic ${Buffer.from(`:${acme.secret}`).toString('base64')}`
    expect((await identity.authenticate({ headers: { authorization } }, 'project')).keyId).toBe(acme.keyId)
  })

  it('INF-012 accepts keys of users and keys of service accounts', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, defaultProject, ada } = await foundAcme(identity)
    const legacy = await identity.userKeys.create({ userId: ada.id, name: 'legacy' })
    const bot = await identity.serviceAccounts.create(organizationId, defaultProject.id, 'bot')
    expect(await identity.authenticate(bearer(legacy.secret), 'project')).toMatchObject({
      keyKind: 'user',
      actor: { type: 'user', id: ada.id },
    })
    expect(await identity.authenticate(bearer(bot.key.secret), 'project')).toMatchObject({
      keyKind: 'service_account',
      actor: { type: 'service_account', id: bot.account.id },
      projectId: defaultProject.id,
      organizationRole: 'member',
      projectRole: 'member',
    })
  })

  it('holds a project key and a service account key to their own organization and project', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, defaultProject, ada, secret } = await foundAcme(identity)
    const other = await identity.projects.create(organizationId, { name: 'other', creatorId: ada.id })
    const bot = await identity.serviceAccounts.create(organizationId, defaultProject.id, 'bot')
    for (const key of [secret, bot.key.secret]) {
      const own = { 'vendor-organization': organizationId, 'openai-project': defaultProject.id }
      expect((await identity.authenticate(bearer(key, own), 'project')).projectId).toBe(defaultProject.id)
      const asked = (headers: Record<string, string>) =>
        problemOf(identity.authenticate(bearer(key, headers), 'project'))
      expect(await asked({ 'vendor-project': other.id })).toEqual({ kind: 'mismatched_project' })
      expect(await asked({ 'openai-project': 'proj_none' })).toEqual({ kind: 'mismatched_project' })
      expect(await asked({ 'vendor-organization': 'org-none' })).toEqual({ kind: 'mismatched_organization' })
      expect(await asked({ 'openai-organization': `${organizationId}, org-b` })).toEqual({
        kind: 'mismatched_organization',
      })
    }
  })

  it('INF-014 lets a legacy user key reach every organization and project of its user, and no other', async () => {
    const { identity } = await openIdentity(open)
    const acme = await foundAcme(identity)
    const team = await identity.projects.create(acme.organizationId, { name: 'team', creatorId: acme.ada.id })
    const secretTeam = await identity.projects.create(acme.organizationId, { name: 'secret', creatorId: acme.ada.id })
    const bob = await identity.users.add(acme.organizationId, { name: 'Bob', email: 'bob@example.com', role: 'member' })
    await identity.projectMembers.add(acme.organizationId, team.id, { userId: bob.id, role: 'member' })
    const own = await identity.organizations.create("Bob's", { name: 'Bob', email: 'bob@example.com' })
    const foreign = await identity.organizations.create('Foreign', { name: 'Eve', email: 'eve@example.com' })
    const { secret } = await identity.userKeys.create({ userId: bob.id, name: 'legacy' })
    const as = (organization: string, project?: string) =>
      identity.authenticate(
        bearer(secret, { 'vendor-organization': organization, ...(project && { 'vendor-project': project }) }),
        'project',
      )

    expect(await as(acme.organizationId, team.id)).toMatchObject({ projectId: team.id, projectRole: 'member' })
    expect(await as(acme.organizationId)).toMatchObject({ projectId: acme.defaultProject.id })
    expect(await as(own.organization.id)).toMatchObject({
      organizationId: own.organization.id,
      projectId: own.defaultProject.id,
      organizationRole: 'owner',
    })
    expect(await problemOf(as(acme.organizationId, secretTeam.id))).toEqual({ kind: 'mismatched_project' })
    expect(await problemOf(as(acme.organizationId, own.defaultProject.id))).toEqual({ kind: 'mismatched_project' })
    expect(await problemOf(as(foreign.organization.id))).toEqual({ kind: 'mismatched_organization' })
    expect(await problemOf(as('org-none'))).toEqual({ kind: 'mismatched_organization' })
  })

  it('INF-018 selects the Default project of the oldest membership when a legacy user key says nothing', async () => {
    const { identity, clock } = await openIdentity(open)
    const acme = await foundAcme(identity)
    const own = await identity.organizations.create("Bob's", { name: 'Bob', email: 'bob@example.com' })
    clock.advanceSeconds(1)
    await identity.users.add(acme.organizationId, { name: 'Bob', email: 'bob@example.com', role: 'member' })
    const { secret } = await identity.userKeys.create({ userId: own.owner.id, name: 'legacy' })
    expect(await identity.authenticate(bearer(secret), 'project')).toMatchObject({
      organizationId: own.organization.id,
      projectId: own.defaultProject.id,
    })
  })

  it('lets an owner of the organization use every project with a legacy key', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada } = await foundAcme(identity)
    const bob = await identity.users.add(organizationId, { name: 'Bob', email: 'bob@example.com', role: 'owner' })
    const team = await identity.projects.create(organizationId, { name: 'team', creatorId: ada.id })
    const { secret } = await identity.userKeys.create({ userId: bob.id, name: 'legacy' })
    expect(await identity.authenticate(bearer(secret, { 'vendor-project': team.id }), 'project')).toMatchObject({
      projectRole: 'owner',
    })
  })

  it('refuses every key in an archived project', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada } = await foundAcme(identity)
    const team = await identity.projects.create(organizationId, { name: 'team', creatorId: ada.id })
    const key = await identity.projectKeys.create(organizationId, team.id, { userId: ada.id, name: 'k' })
    const bot = await identity.serviceAccounts.create(organizationId, team.id, 'bot')
    const legacy = await identity.userKeys.create({ userId: ada.id, name: 'legacy' })
    const legacyHead = bearer(legacy.secret, { 'vendor-project': team.id })
    for (const head of [bearer(key.secret), bearer(bot.key.secret), legacyHead]) {
      await identity.authenticate(head, 'project')
    }
    await identity.projects.archive(organizationId, team.id)
    for (const { secret } of [key, bot.key]) {
      expect(await problemOf(identity.authenticate(bearer(secret), 'project'))).toMatchObject({ kind: 'bad_key' })
    }
    expect(await problemOf(identity.authenticate(legacyHead, 'project'))).toEqual({ kind: 'mismatched_project' })
  })

  it('keeps admin keys and ordinary keys apart, remembered or not', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada, secret } = await foundAcme(identity)
    const admin = await identity.adminKeys.create(organizationId, { userId: ada.id, name: 'admin' })
    for (let round = 0; round < 2; round++) {
      const refusedAdmin = problemOf(identity.authenticate(bearer(admin.secret), 'project'))
      expect(await refusedAdmin).toEqual({ kind: 'wrong_key_kind', needed: 'project' })
      const refusedOrdinary = problemOf(identity.authenticate(bearer(secret), 'admin'))
      expect(await refusedOrdinary).toEqual({ kind: 'wrong_key_kind', needed: 'admin' })
      expect(await identity.authenticate(bearer(admin.secret), 'admin')).toEqual({
        kind: 'admin',
        organizationId,
        keyId: admin.id,
        userId: ada.id,
      })
      await identity.authenticate(bearer(secret), 'project')
    }
  })

  it('holds an admin key to its organization and the projects in it', async () => {
    const { identity } = await openIdentity(open)
    const { organizationId, ada, defaultProject } = await foundAcme(identity)
    const { secret } = await identity.adminKeys.create(organizationId, { userId: ada.id, name: 'admin' })
    const asked = (headers: Record<string, string>) => identity.authenticate(bearer(secret, headers), 'admin')
    await asked({ 'vendor-organization': organizationId, 'vendor-project': defaultProject.id })
    expect(await problemOf(asked({ 'vendor-organization': 'org-none' }))).toEqual({ kind: 'mismatched_organization' })
    expect(await problemOf(asked({ 'vendor-project': 'proj_none' }))).toEqual({ kind: 'mismatched_project' })
  })

  it('refuses a deleted key from the moment the deletion is acknowledged', async () => {
    // Even while the news of it is still on its way.
    const { identity } = identityOn(await open(identityTables), { events: neverArriving })
    const { organizationId, defaultProject, secret, keyId } = await foundAcme(identity)
    await identity.authenticate(bearer(secret), 'project')
    await identity.projectKeys.remove(organizationId, defaultProject.id, keyId)
    expect(await problemOf(identity.authenticate(bearer(secret), 'project'))).toMatchObject({ kind: 'bad_key' })
  })

  it('answers from memory while nothing changes, and asks again after ten seconds', async () => {
    const { identity, db, clock, events } = await openIdentity(open)
    const heard = changesHeard(events, 2)
    const { secret, keyId } = await foundAcme(identity)
    await heard
    await identity.authenticate(bearer(secret), 'project')
    // Behind the back of identity, so nothing tells the cache.
    await db.queries.deleteFrom('api_keys').where('id', '=', keyId).execute()
    clock.advanceSeconds(9)
    expect((await identity.authenticate(bearer(secret), 'project')).keyId).toBe(keyId)
    clock.advanceSeconds(1)
    expect(await problemOf(identity.authenticate(bearer(secret), 'project'))).toMatchObject({ kind: 'bad_key' })
  })

  it('compares digests in constant time', async () => {
    const { identity } = await openIdentity(open)
    const { secret } = await foundAcme(identity)
    const compare = vi.spyOn(crypto, 'timingSafeEqual')
    syncBuiltinESMExports()
    onTestFinished(() => {
      compare.mockRestore()
      syncBuiltinESMExports()
    })
    await identity.authenticate(bearer(secret), 'project')
    expect(compare).toHaveBeenCalledOnce()
    expect(compare).toHaveReturnedWith(true)
  })

  it('writes when a key was last used, later and once', async () => {
    const { identity, clock } = await openIdentity(open)
    const { organizationId, defaultProject, secret, keyId } = await foundAcme(identity)
    const lastUsedAt = async () => (await identity.projectKeys.get(organizationId, defaultProject.id, keyId)).lastUsedAt
    await identity.authenticate(bearer(secret), 'project')
    clock.advanceSeconds(5)
    await identity.authenticate(bearer(secret), 'project')
    expect(await lastUsedAt()).toBeNull()
    await identity.flushLastUsed()
    expect(await lastUsedAt()).toBe(Math.floor(clock.now() / 1000))
  })

  it('writes on close what was not written yet', async () => {
    const { identity, clock } = await openIdentity(open)
    const { organizationId, defaultProject, secret } = await foundAcme(identity)
    await identity.authenticate(bearer(secret), 'project')
    await identity.close()
    const keys = await identity.projectKeys.list(organizationId, defaultProject.id, firstPage)
    expect(keys.rows[0]?.lastUsedAt).toBe(Math.floor(clock.now() / 1000))
  })
})
