import { expect, it } from 'vitest'
import { adminEmail, describeCluster } from '../testing/cluster-server.ts'
import { modulePackage } from '../testing/module-packages.ts'

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
