import { systemClock } from '@atoll/kernel/clock/clock'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { adminEmail, describeCluster } from '../testing/cluster-server.ts'
import { modulePackage } from '../testing/module-packages.ts'
import { Audit } from './audit.ts'
import { auditMigration } from './migration.ts'

const entry = (path: string) => ({
  user: 'a@b',
  method: 'POST',
  path,
  status: 200,
  details: { z: 1, a: [2, { c: 3 }] },
})

describeBothDatabases('the audit', (open) => {
  const filled = async (count: number) => {
    const db = await open([auditMigration])
    const audit = new Audit({ db, clock: systemClock })
    for (let at = 1; at <= count; at++) await audit.record(undefined, entry(`/${at}`))
    return { db, audit, queries: db.queries }
  }

  it('is intact as long as nobody touches it, empty too', async () => {
    const { audit } = await filled(0)
    expect(await audit.verify()).toEqual({ intact: true, entries: 0 })
    await Promise.all(Array.from({ length: 10 }, (_, at) => audit.record(undefined, entry(`/${at}`))))
    expect(await audit.verify()).toEqual({ intact: true, entries: 10 })
    expect((await audit.list({ limit: 2, offset: 1 })).map(({ seq }) => seq)).toEqual([9, 8])
  })

  it('has an entry only if what it tells of was done', async () => {
    const { db, audit } = await filled(1)
    const undone = db.transaction(async (tx) => {
      await audit.record(tx, entry('/undone'))
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await db.transaction((tx) => audit.record(tx, entry('/done')))
    expect((await audit.list({ limit: 10, offset: 0 })).map(({ path }) => path)).toEqual(['/done', '/1'])
    expect(await audit.verify()).toEqual({ intact: true, entries: 2 })
  })

  it('notices an entry that was changed', async () => {
    const { audit, queries } = await filled(4)
    const row = await queries.selectFrom('cluster_audit').selectAll().where('seq', '=', 2).executeTakeFirstOrThrow()
    const changed = row.entry.replace('a@b', 'c@d')
    await queries.updateTable('cluster_audit').set({ entry: changed }).where('seq', '=', 2).execute()
    expect(await audit.verify()).toEqual({ intact: false, entries: 1, brokenAt: 2 })
  })

  it('notices an entry that was taken out of its middle, or from its end', async () => {
    const { audit, queries } = await filled(4)
    await queries.deleteFrom('cluster_audit').where('seq', '=', 4).execute()
    expect(await audit.verify()).toEqual({ intact: false, entries: 3, brokenAt: 4 })
    await queries.deleteFrom('cluster_audit').where('seq', '=', 2).execute()
    expect(await audit.verify()).toEqual({ intact: false, entries: 1, brokenAt: 2 })
  })

  it('notices an entry that was put in', async () => {
    const { audit, queries } = await filled(2)
    const last = await queries.selectFrom('cluster_audit').selectAll().where('seq', '=', 2).executeTakeFirstOrThrow()
    await queries
      .insertInto('cluster_audit')
      .values({ ...last, seq: 3 })
      .execute()
    expect(await audit.verify()).toEqual({ intact: false, entries: 2, brokenAt: 3 })
  })
})

describeCluster('administrative calls', (start) => {
  it('go on record before they are done and when they have ended, whatever became of them', async () => {
    const { admin } = await start()
    const asked = { email: 'pat@cluster.test', password: 'not-for-the-record', role: 'db_viewer' }
    await admin.call('POST', '/v1/users', asked)
    await admin.call('DELETE', '/v1/users/999')
    await admin.upload('/v2/modules', modulePackage())
    await admin.call('GET', '/v1/users')
    const { body } = await admin.call('GET', '/v1/audit')
    const shown = body
      .toReversed()
      .map((one: Record<string, unknown>) => [one.method, one.path, one.status, one.details])
    expect(shown).toEqual([
      ['POST', '/v1/users', 0, { email: asked.email, password: '[hidden]', role: 'db_viewer' }],
      ['POST', '/v1/users', 200, undefined],
      ['DELETE', '/v1/users/999', 0, undefined],
      ['DELETE', '/v1/users/999', 404, { message: 'There is no user 999.' }],
      ['POST', '/v2/modules', 0, { filename: 'module.zip', bytes: expect.any(Number) }],
      ['POST', '/v2/modules', 200, undefined],
    ])
    expect(body[0]).toMatchObject({ user: adminEmail, role: 'admin', address: '127.0.0.1' })
    expect(body[0].request_id).toBe(body[1].request_id)
    expect((await admin.call('GET', '/v1/audit/verify')).body).toEqual({ intact: true, entries: 6 })
  })
})
