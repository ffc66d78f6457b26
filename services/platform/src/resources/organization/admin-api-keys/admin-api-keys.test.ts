import { expect, it } from 'vitest'
import { describePlatform } from '../../../testing/describe-platform.ts'
import { addPerson, adminOf, allOf, refusalOf } from '../testing/admin-client.ts'

describePlatform('admin keys', (start) => {
  it('are made for whoever asks, shown once, listed, and deleted at once', async () => {
    const platform = await start()
    const { adminAPIKeys } = adminOf(platform)
    const { value, ...made } = await adminAPIKeys.create({ name: 'Deploy' })
    expect(value).toMatch(/^sk-admin-\w{48}$/)
    expect(made).toEqual({
      object: 'organization.admin_api_key',
      id: expect.stringMatching(/^key_/),
      name: 'Deploy',
      redacted_value: expect.stringMatching(/^sk-admin-\w\w\*\*\*\w\w$/),
      created_at: expect.any(Number),
      last_used_at: null,
      expires_at: null,
      owner: {
        type: 'user',
        object: 'organization.user',
        id: platform.caller.actor.id,
        name: 'Owner',
        created_at: expect.any(Number),
        role: 'owner',
      },
    })
    expect(await adminAPIKeys.retrieve(made.id)).toEqual(made)
    const listed = await allOf(adminAPIKeys.list({ limit: 1 }))
    expect(listed.map(({ name }) => name)).toEqual(['Deploy', 'First admin key'])
    const oldestFirst = await adminAPIKeys.list({ order: 'asc' })
    expect(oldestFirst.data.map(({ name }) => name)).toEqual(['First admin key', 'Deploy'])
    expect(JSON.stringify(listed)).not.toContain(value)
    expect(platform.logged()).not.toContain(value)
    const second = adminOf(platform, value)
    expect((await second.users.list()).data).toHaveLength(1)
    expect(await adminAPIKeys.delete(made.id)).toEqual({
      object: 'organization.admin_api_key.deleted',
      id: made.id,
      deleted: true,
    })
    expect(await refusalOf(second.users.list())).toMatchObject({ status: 401 })
    expect(await refusalOf(adminAPIKeys.delete(made.id))).toMatchObject({ status: 404 })
  })

  it('are no ordinary keys, and ordinary keys are none of them', async () => {
    const platform = await start()
    const { adminAPIKeys } = adminOf(platform)
    expect(await refusalOf(adminAPIKeys.retrieve(platform.caller.keyId))).toMatchObject({ status: 404 })
    expect(await refusalOf(adminAPIKeys.delete(platform.caller.keyId))).toMatchObject({ status: 404 })
    expect((await platform.get('/v1/models')).status).toBe(200)
  })

  it('rest while their holder is no owner', async () => {
    const platform = await start()
    const { users } = adminOf(platform)
    const ada = await addPerson(platform, 'Ada', 'owner')
    const { organizationId } = platform.caller
    const key = await platform.platform.identity.adminKeys.create(organizationId, { userId: ada.id, name: 'hers' })
    const hers = adminOf(platform, key.secret)
    expect((await hers.users.list()).data).toHaveLength(2)
    await users.update(ada.id, { role: 'member' })
    expect(await refusalOf(hers.users.list())).toMatchObject({ status: 401 })
    await users.update(ada.id, { role: 'owner' })
    expect((await hers.users.list()).data).toHaveLength(2)
  })

  it('expire only when deleted: another wish is refused', async () => {
    const platform = await start()
    const wish = { name: 'brief', expires_in_seconds: 3600 }
    expect(await refusalOf(adminOf(platform).adminAPIKeys.create(wish))).toMatchObject({
      status: 400,
      param: 'expires_in_seconds',
    })
    expect((await adminOf(platform).adminAPIKeys.list()).data).toHaveLength(1)
  })
})
