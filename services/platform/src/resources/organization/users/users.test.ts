import { ManualClock } from '@atoll/kernel/clock/clock'
import { expect, it } from 'vitest'
import { describeNodes, describePlatform } from '../../../testing/describe-platform.ts'
import { checkPublished } from '../../../testing/published-schemas.ts'
import { waitUntil } from '../../../testing/wait-until.ts'
import { addPerson, adminOf, allOf, refusalOf } from '../testing/admin-client.ts'

describePlatform('users of an organization', (start) => {
  it('lists and shows them (AST-200, AST-201, AST-209, AST-210, AST-213)', async () => {
    const platform = await start()
    const { users } = adminOf(platform)
    const added = [await addPerson(platform, 'Ada'), await addPerson(platform, 'Bob', 'owner')]
    const first = await users.list({ limit: 2 })
    expect(first.data.map(({ id }) => id)).toEqual([added[1]?.id, added[0]?.id])
    expect(first).toMatchObject({ has_more: true, last_id: added[0]?.id })
    const rest = await users.list({ limit: 2, after: first.last_id })
    expect(rest.data.map(({ email }) => email)).toEqual(['owner@localhost'])
    expect(rest.has_more).toBe(false)
    expect(await allOf(users.list({ limit: 1 }))).toHaveLength(3)
    const ada = await users.retrieve(added[0]?.id ?? '')
    expect(ada).toEqual({
      object: 'organization.user',
      id: added[0]?.id,
      name: 'Ada',
      email: 'ada@example.com',
      role: 'member',
      added_at: expect.any(Number),
    })
    checkPublished('User', ada)
    checkPublished(
      'UserListResponse',
      await (await platform.as(platform.adminKey).get('/v1/organization/users')).json(),
    )
  })

  it('changes roles, and always leaves an owner (AST-202, AST-211)', async () => {
    const platform = await start()
    const { users } = adminOf(platform)
    const { id } = await addPerson(platform, 'Ada')
    const owner = platform.caller.actor.id
    expect(await refusalOf(users.update(owner, { role: 'member' }))).toMatchObject({ status: 400, code: 'last_owner' })
    for (const role of ['owner', 'reader', 'member']) {
      const changed = await users.update(id, { role })
      expect(changed).toMatchObject({ id, role, email: 'ada@example.com' })
      checkPublished('User', changed)
    }
    expect(await refusalOf(users.update(id, { role: 'king' }))).toMatchObject({ status: 400, param: 'role' })
    expect(await refusalOf(users.update('user-absent', { role: 'owner' }))).toMatchObject({
      status: 404,
      message: "No user found with id 'user-absent'.",
    })
    expect((await users.retrieve(id)).role).toBe('member')
  })

  it('removes a user and at once all their keys (AST-212)', async () => {
    const platform = await start()
    const admin = adminOf(platform)
    const { organizationId, projectId } = platform.caller
    const { id } = await addPerson(platform, 'Ada', 'owner')
    const { identity } = platform.platform
    const holder = { userId: id, name: 'key' }
    const projectKey = await identity.projectKeys.create(organizationId, projectId, holder)
    const userKey = await identity.userKeys.create(holder)
    const adminKey = await identity.adminKeys.create(organizationId, holder)
    for (const { secret } of [projectKey, userKey])
      expect((await platform.as(secret).get('/v1/models')).status).toBe(200)
    expect((await platform.as(adminKey.secret).get('/v1/organization/users')).status).toBe(200)
    const deleted = await admin.users.delete(id)
    expect(deleted).toEqual({ object: 'organization.user.deleted', id, deleted: true })
    checkPublished('UserDeleteResponse', deleted)
    for (const { secret } of [projectKey, userKey])
      expect((await platform.as(secret).get('/v1/models')).status).toBe(401)
    expect((await platform.as(adminKey.secret).get('/v1/organization/users')).status).toBe(401)
    expect(await refusalOf(admin.users.delete(id))).toMatchObject({ status: 404 })
    const last = await refusalOf(admin.users.delete(platform.caller.actor.id))
    expect(last).toMatchObject({ status: 400, code: 'last_owner' })
  })
})

describeNodes('users of an organization on two nodes', (start) => {
  it('ends on every node the keys of a user who is removed, and of a project that is archived (AST-212, AST-220)', async () => {
    // Clocks that stand still: nothing but an event can end what a node remembers of a key.
    const one = await start({ clock: new ManualClock() })
    const two = await start({ clock: new ManualClock(), after: one })
    const { id } = await addPerson(one, 'Ada')
    const { identity } = one.platform
    const project = await adminOf(two).projects.create({ name: 'Elsewhere' })
    await adminOf(two).projects.users.create(project.id, { user_id: id, role: 'member' })
    const userKey = await identity.userKeys.create({ userId: id, name: 'user' })
    const bot = await adminOf(one).projects.serviceAccounts.create(project.id, { name: 'bot' })
    const statusOn = async (node: typeof one, key: string) => (await node.as(key).get('/v1/models')).status
    const botKey = bot.api_key?.value ?? ''
    for (const key of [userKey.secret, botKey]) {
      await waitUntil(async () => (await statusOn(two, key)) === 200)
      expect(await statusOn(one, key)).toBe(200)
    }
    await adminOf(one).users.delete(id)
    expect(await statusOn(one, userKey.secret)).toBe(401)
    await waitUntil(async () => (await statusOn(two, userKey.secret)) === 401)
    expect(await statusOn(two, botKey)).toBe(200)
    await adminOf(two).projects.archive(project.id)
    expect(await statusOn(two, botKey)).toBe(401)
    await waitUntil(async () => (await statusOn(one, botKey)) === 401)
    expect(await one.kernel.db.queries.selectFrom('api_keys').select('id').where('user_id', '=', id).execute()).toEqual(
      [],
    )
    expect((await adminOf(two).users.list()).data.map((user) => user.id)).not.toContain(id)
  })
})
