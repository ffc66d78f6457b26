import { ManualClock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { createIds } from '@atoll/kernel/ids/ids'
import { describeBothDatabases, type OpenDatabase } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { ensureFirstIdentity, GivenKeyError, type GivenKeys } from './first-start.ts'
import { bearer, firstPage, identityOn, identityTables, problemOf } from './testing/identity-fixture.ts'

const clock = new ManualClock()
const start = (db: Database, given?: GivenKeys) => ensureFirstIdentity({ db, clock, ids: createIds(clock) }, given)

async function opened(open: OpenDatabase) {
  const db = await open(identityTables)
  const { identity } = identityOn(db)
  const accepts = async (secret = '', kind: 'project' | 'admin' = 'project') =>
    (await problemOf(identity.authenticate(bearer(secret), kind))) === undefined
  return { db, identity, accepts }
}

describeBothDatabases('the first start', (open) => {
  it('makes an organization, an owner, the Default project and two keys that work', async () => {
    const { db, identity, accepts } = await opened(open)
    const first = await start(db)
    expect(first).toEqual({ created: true, apiKey: expect.any(String), adminKey: expect.any(String), notes: [] })
    expect(first.apiKey).toMatch(/^sk-proj-\w{48}$/)
    expect(first.adminKey).toMatch(/^sk-admin-\w{48}$/)
    expect(await accepts(first.adminKey, 'admin')).toBe(true)
    const caller = await identity.authenticate(bearer(first.apiKey ?? ''), 'project')
    expect(caller).toMatchObject({ organizationRole: 'owner', projectRole: 'owner' })
    expect((await identity.organizations.get(caller.organizationId)).name).toBe('Personal')
    expect((await identity.projects.get(caller.organizationId, caller.projectId)).isDefault).toBe(true)
    expect((await identity.users.list(caller.organizationId, firstPage)).rows).toHaveLength(1)
  })

  it('happens once: the next start makes nothing and shows nothing', async () => {
    const { db, accepts } = await opened(open)
    const first = await start(db)
    expect(await start(db)).toEqual({ created: false, notes: [] })
    expect(await accepts(first.apiKey)).toBe(true)
  })

  it('adopts given keys and does not repeat them', async () => {
    const { db, accepts } = await opened(open)
    const given = { apiKey: 'my-own-key', adminKey: 'my-own-admin-key' }
    expect(await start(db, given)).toEqual({ created: true, notes: [] })
    expect(await accepts('my-own-key')).toBe(true)
    expect(await accepts('my-own-admin-key', 'admin')).toBe(true)
    expect(await start(db, given)).toEqual({ created: false, notes: [] })
  })

  it('adopts one key and draws the other', async () => {
    const { db, accepts } = await opened(open)
    const first = await start(db, { apiKey: 'my-own-key' })
    expect(first.apiKey).toBeUndefined()
    expect(await accepts('my-own-key')).toBe(true)
    expect(await accepts(first.adminKey, 'admin')).toBe(true)
  })

  it.each([
    [{ apiKey: '' }, 'ATOLL_API_KEY must have 1 to 512 printable'],
    [{ apiKey: 'with space' }, 'ATOLL_API_KEY must have'],
    [{ adminKey: 'ümlaut' }, 'ATOLL_ADMIN_KEY must have'],
    [{ adminKey: 'x'.repeat(513) }, 'ATOLL_ADMIN_KEY must have'],
    [{ apiKey: 'the-same', adminKey: 'the-same' }, 'must differ'],
  ])('refuses unusable keys, says why and changes nothing: %j', async (given, reason) => {
    const { db } = await opened(open)
    const refused: unknown = await start(db, given).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(GivenKeyError)
    expect((refused as Error).message).toContain(reason)
    for (const secret of Object.values(given)) {
      if (secret !== '') expect((refused as Error).message).not.toContain(secret)
    }
    expect(await db.queries.selectFrom('organizations').selectAll().execute()).toEqual([])
  })
})

describeBothDatabases('a later start', (open) => {
  it('takes in a key it does not know, once, and keeps the keys before it', async () => {
    const { db, accepts } = await opened(open)
    const first = await start(db)
    const given = { apiKey: 'rotated-key', adminKey: 'rotated-admin-key' }
    const second = await start(db, given)
    expect(second).toMatchObject({ created: false })
    expect(second.notes).toHaveLength(2)
    expect(second.notes.join()).not.toContain('rotated')
    expect(await start(db, given)).toEqual({ created: false, notes: [] })
    for (const key of [first.apiKey, 'rotated-key']) expect(await accepts(key)).toBe(true)
    for (const key of [first.adminKey, 'rotated-admin-key']) expect(await accepts(key, 'admin')).toBe(true)
  })

  it('does not bring a deleted key back', async () => {
    const { db, identity, accepts } = await opened(open)
    await start(db, { apiKey: 'leaked-key' })
    const { organizationId, projectId, keyId } = await identity.authenticate(bearer('leaked-key'), 'project')
    await identity.projectKeys.remove(organizationId, projectId, keyId)
    const again = await start(db, { apiKey: 'leaked-key' })
    expect(again.notes).toEqual([expect.stringContaining('ATOLL_API_KEY was deleted earlier')])
    expect(await accepts('leaked-key')).toBe(false)
  })

  it('refuses a key that is of the other kind already', async () => {
    const { db } = await opened(open)
    await start(db, { apiKey: 'one', adminKey: 'two' })
    await expect(start(db, { apiKey: 'two' })).rejects.toThrow('ATOLL_API_KEY is already in use as an admin key')
    await expect(start(db, { adminKey: 'one' })).rejects.toThrow('ATOLL_ADMIN_KEY is already in use as an ordinary key')
  })
})
