import { ManualClock } from '@atoll/kernel/clock/clock'
import { expect, it } from 'vitest'
import type { z } from 'zod'
import { describeNodes, describePlatform, type TestPlatform } from '../../../testing/describe-platform.ts'
import { checkPublished } from '../../../testing/published-schemas.ts'
import { errorOf } from '../../../testing/requests.ts'
import { addPerson, adminOf, allOf, refusalOf } from '../testing/admin-client.ts'
import { AcceptedInvite, SentInviteObject } from './schema.ts'

const daySeconds = 24 * 60 * 60

const send = async (platform: TestPlatform, body: object): Promise<z.infer<typeof SentInviteObject>> => {
  const response = await platform.as(platform.adminKey).post('/v1/organization/invites', body)
  expect(response.status).toBe(200)
  return SentInviteObject.parse(await response.json())
}

const accept = (platform: TestPlatform, body: object) => platform.as(undefined).post('/v1/invites/accept', body)

describePlatform('invites', (start) => {
  it('are sent, listed, shown and deleted (AST-200, AST-201, AST-203, AST-204, AST-206, AST-207, AST-208)', async () => {
    const platform = await start()
    const { invites } = adminOf(platform)
    const sent = await invites.create({ email: ' Ada@Example.com', role: 'reader' })
    const { accept_token, ...shown } = sent as typeof sent & { accept_token: string }
    expect(shown).toEqual({
      object: 'organization.invite',
      id: expect.stringMatching(/^invite-/),
      email: 'ada@example.com',
      role: 'reader',
      status: 'pending',
      invited_at: expect.any(Number),
      created_at: expect.any(Number),
      expires_at: sent.created_at + 7 * daySeconds,
      accepted_at: null,
      projects: [],
    })
    checkPublished('Invite', sent)
    expect(await invites.retrieve(sent.id)).toEqual(shown)
    const { id } = await invites.create({ email: 'bob@example.com', role: 'owner' })
    const first = await invites.list({ limit: 1 })
    expect(first.data.map((invite) => invite.id)).toEqual([id])
    expect(first.has_more).toBe(true)
    expect((await invites.list({ after: id })).data).toEqual([shown])
    expect(await allOf(invites.list({ limit: 1 }))).toHaveLength(2)
    const text = await (await platform.as(platform.adminKey).get('/v1/organization/invites')).text()
    checkPublished('InviteListResponse', JSON.parse(text))
    expect(text + platform.logged()).not.toContain(accept_token.slice(-40))
    const deleted = await invites.delete(sent.id)
    expect(deleted).toEqual({ object: 'organization.invite.deleted', id: sent.id, deleted: true })
    checkPublished('InviteDeleteResponse', deleted)
    expect(await refusalOf(invites.retrieve(sent.id))).toMatchObject({ status: 404 })
    expect(await refusalOf(invites.delete(sent.id))).toMatchObject({ status: 404 })
  })

  it('are accepted once, and lead into the Default project and those named (AST-202, AST-205, AST-208)', async () => {
    const platform = await start()
    const admin = adminOf(platform)
    const orders = await admin.projects.create({ name: 'Orders' })
    const gone = await admin.projects.create({ name: 'Gone' })
    const projects = [orders, gone].map(({ id }) => ({ id, role: 'owner' }))
    const { accept_token, ...invite } = await send(platform, { email: 'ada@example.com', role: 'member', projects })
    expect(invite.projects).toEqual(projects)
    await admin.projects.archive(gone.id)
    const response = await accept(platform, { token: accept_token, name: 'Ada', with_key: true })
    expect(response.status).toBe(200)
    const joined = AcceptedInvite.parse(await response.json())
    expect(joined).toMatchObject({ organization_id: platform.caller.organizationId, user: { role: 'member' } })
    const { id } = joined.user
    expect(await admin.users.retrieve(id)).toEqual(joined.user)
    const seat = (project_id: string) => admin.projects.users.retrieve(id, { project_id })
    expect((await seat(platform.caller.projectId)).role).toBe('member')
    expect((await seat(orders.id)).role).toBe('owner')
    expect(await refusalOf(seat(gone.id))).toMatchObject({ status: 404 })
    const key = joined.api_key?.value ?? ''
    expect((await platform.as(key).get('/v1/models')).status).toBe(200)
    const accepted = await admin.invites.retrieve(invite.id)
    expect(accepted).toMatchObject({ status: 'accepted', accepted_at: expect.any(Number) })
    checkPublished('Invite', accepted)
    const refused = await refusalOf(admin.invites.delete(invite.id))
    expect(refused).toMatchObject({ status: 400, code: 'invite_accepted' })
    expect(platform.logged()).not.toContain(key)
  })

  it('refuse every token but a fresh one, in the same words', async () => {
    const clock = new ManualClock()
    const platform = await start({ clock })
    const { invites } = adminOf(platform)
    const used = await send(platform, { email: 'used@example.com', role: 'member' })
    const bare = await (await accept(platform, { token: used.accept_token })).json()
    expect(bare).not.toHaveProperty('api_key')
    expect(bare).toMatchObject({ user: { name: 'used' } })
    const old = await send(platform, { email: 'old@example.com', role: 'member' })
    clock.advanceSeconds(7 * daySeconds)
    expect((await invites.retrieve(old.id)).status).toBe('expired')
    const deleted = await send(platform, { email: 'deleted@example.com', role: 'member' })
    await invites.delete(deleted.id)
    const fresh = await send(platform, { email: 'fresh@example.com', role: 'member' })
    const [id, expiry, signature = ''] = fresh.accept_token.split('.')
    const tokens = [
      ...[used, old, deleted].map(({ accept_token }) => accept_token),
      'nonsense',
      fresh.accept_token.slice(0, -1),
      `${fresh.accept_token}x`,
      `${id}.${Number(expiry) + 1}.${signature}`,
      `${id}.${expiry}.${'A'.repeat(43)}`,
      `${old.id}.${expiry}.${signature}`,
    ]
    const answers = new Set<string>()
    for (const token of tokens) {
      const response = await accept(platform, { token, with_key: true })
      expect([token, response.status]).toEqual([token, 400])
      answers.add(JSON.stringify(await errorOf(response)))
    }
    expect([...answers]).toEqual([expect.stringContaining('"code":"invalid_invite"')])
    expect(await allOf(adminOf(platform).users.list())).toHaveLength(2)
    expect((await accept(platform, { token: fresh.accept_token })).status).toBe(200)
  })

  it('are one per address, and for those who are not in yet', async () => {
    const clock = new ManualClock()
    const platform = await start({ clock })
    const { invites } = adminOf(platform)
    const invite = (email: string) => refusalOf(invites.create({ email, role: 'reader' }))
    expect(await invite('ada@example.com')).toBeUndefined()
    const again = { status: 400, code: 'invite_pending', param: 'email' }
    expect(await invite('ADA@example.com')).toMatchObject(again)
    clock.advanceSeconds(7 * daySeconds)
    expect(await invite('ada@example.com')).toBeUndefined()
    await addPerson(platform, 'Bob')
    expect(await invite('bob@example.com')).toMatchObject({ status: 400, code: 'already_member' })
    // At once from two sides: one is sent, the other refused.
    const both = await Promise.all([invite('cid@example.com'), invite('cid@example.com')])
    expect(both.map((refused) => refused?.code)).toEqual(expect.arrayContaining([undefined, 'invite_pending']))
    expect(await allOf(invites.list())).toHaveLength(3)
  })

  it('let one of two who show the same token in', async () => {
    const platform = await start()
    const { accept_token: token } = await send(platform, { email: 'ada@example.com', role: 'member' })
    const statuses = await Promise.all([1, 2, 3].map(async () => (await accept(platform, { token })).status))
    expect(statuses.sort()).toEqual([200, 400, 400])
    expect(await allOf(adminOf(platform).users.list())).toHaveLength(2)
  })

  it('give a key that reaches no other organization of the same person', async () => {
    const platform = await start()
    const { identity } = platform.platform
    const elsewhere = await identity.organizations.create('Elsewhere', { name: 'Eve', email: 'eve@example.com' })
    const { accept_token } = await send(platform, { email: 'eve@example.com', role: 'member' })
    const joined = AcceptedInvite.parse(
      await (await accept(platform, { token: accept_token, name: 'Mallory', with_key: true })).json(),
    )
    expect(joined.user).toMatchObject({ id: elsewhere.owner.id, name: 'Eve' })
    const key = platform.as(joined.api_key?.value)
    expect((await key.get('/v1/models')).status).toBe(200)
    const abroad = await key.get('/v1/models', { 'openai-organization': elsewhere.organization.id })
    expect(abroad.status).toBe(401)
  })

  it('refuse what makes no sense, and say why', async () => {
    const platform = await start()
    const foreign = await platform.addOrganization('Elsewhere')
    const admin = platform.as(platform.adminKey)
    const email = 'ada@example.com'
    const twice = { id: platform.caller.projectId, role: 'member' }
    const cases: [object, number, string | null][] = [
      [{ role: 'member' }, 400, 'email'],
      [{ email }, 400, 'role'],
      [{ email: 'ada', role: 'member' }, 400, 'email'],
      [{ email: 'a b@example.com', role: 'member' }, 400, 'email'],
      [{ email: `${'a'.repeat(250)}@example.com`, role: 'member' }, 400, 'email'],
      [{ email, role: 'king' }, 400, 'role'],
      [{ email, role: 'member', projects: [twice, twice] }, 400, 'projects'],
      [{ email, role: 'member', projects: [{ id: foreign.projectId, role: 'member' }] }, 404, null],
      [{ email, role: 'member', team: 'x' }, 400, 'team'],
    ]
    for (const [body, status, param] of cases) {
      const response = await admin.post('/v1/organization/invites', body)
      expect([body, response.status]).toEqual([body, status])
      expect([body, (await errorOf(response)).param]).toEqual([body, param])
    }
    expect((await (await admin.get('/v1/organization/invites')).json()).data).toEqual([])
    for (const body of [
      {},
      { token: '' },
      { token: 'x'.repeat(257) },
      { token: 'x', name: '' },
      { token: 'x', a: 1 },
    ]) {
      expect([body, (await accept(platform, body)).status]).toEqual([body, 400])
    }
  })
})

describeNodes('invites on two nodes', (start) => {
  it('are accepted where they were not sent, and after a restart', async () => {
    const one = await start()
    const two = await start({ after: one })
    const sent = await send(one, { email: 'ada@example.com', role: 'member' })
    const kept = await send(one, { email: 'bob@example.com', role: 'member' })
    expect((await accept(two, { token: sent.accept_token })).status).toBe(200)
    expect((await accept(one, { token: sent.accept_token })).status).toBe(400)
    await two.close()
    const again = await start({ after: one })
    expect((await accept(again, { token: kept.accept_token })).status).toBe(200)
    expect(await allOf(adminOf(one).users.list())).toHaveLength(3)
  })
})
