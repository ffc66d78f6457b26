import { systemClock } from '@atoll/kernel/clock/clock'
import { createIds } from '@atoll/kernel/ids/ids'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { clusterMigrations } from '../migrations.ts'
import { allUsers } from '../resources/users/store.ts'
import { ensureFirstAdmin } from './first-admin.ts'
import { isPassword } from './passwords.ts'

const cost = { N: 2 ** 10, r: 8, p: 1 }

describeBothDatabases('the first admin', (open) => {
  const parts = async () => ({
    db: await open(clusterMigrations),
    clock: systemClock,
    ids: createIds(systemClock),
  })

  it('is made up once, with a password that is told once', async () => {
    const kernel = await parts()
    const { created, email, password = '' } = await ensureFirstAdmin(kernel, undefined, cost)
    expect([created, email]).toEqual([true, 'admin@atoll.local'])
    expect(password).toMatch(/^\w{24}$/)
    const [user] = await allUsers(kernel.db.queries)
    expect(user).toMatchObject({ email, role: 'admin' })
    expect(await isPassword(password, user!.password_hash)).toBe(true)
    expect(await ensureFirstAdmin(kernel, undefined, cost)).toEqual({ created: false, email })
  })

  it('is the one that was given, and only one when several start at once', async () => {
    const kernel = await parts()
    const given = 'Root@example.com:with:colons-in-it'
    const all = await Promise.all([1, 2, 3].map(() => ensureFirstAdmin(kernel, given, cost)))
    expect(all.filter(({ created }) => created)).toEqual([{ created: true, email: 'root@example.com' }])
    const users = await allUsers(kernel.db.queries)
    expect(users).toHaveLength(1)
    expect(await isPassword('with:colons-in-it', users[0]!.password_hash)).toBe(true)
  })

  it('must be given with a name and a password worth the name', async () => {
    const kernel = await parts()
    for (const given of ['admin', ':password-long', 'a b:password-long', 'admin:short']) {
      await expect(ensureFirstAdmin(kernel, given, cost), given).rejects.toThrow('ATOLL_CLUSTER_ADMIN')
    }
    expect(await allUsers(kernel.db.queries)).toEqual([])
  })
})
