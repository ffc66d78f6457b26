import { expect, it } from 'vitest'
import { adminEmail, describeClusterOnSqlite } from '../../testing/cluster-server.ts'

describeClusterOnSqlite('logs', (start) => {
  it('tell what happened, by time, in either order, a part at a time', async () => {
    let now = Date.parse('2026-03-01T10:00:00Z')
    const { admin, core } = await start({ clock: { now: () => now } })
    for (const type of ['one', 'two', 'three', 'four']) {
      await core.events.add(undefined, {
        severity: 'WARNING',
        type,
        originator: 'proxy',
        object: 'bdb:1',
        message: type,
      })
      now += 3600_000
    }
    const types = async (query = ''): Promise<string[]> =>
      (await admin.call('GET', `/v1/logs${query}`)).body.map(({ type }: { type: string }) => type)
    expect(await types()).toEqual(['four', 'three', 'two', 'one'])
    expect(await types('?order=asc')).toEqual(['one', 'two', 'three', 'four'])
    expect(await types('?order=asc&limit=2&offset=1')).toEqual(['two', 'three'])
    expect(await types('?stime=2026-03-01T11:00:00Z&etime=2026-03-01T12:30:00Z')).toEqual(['three', 'two'])
    expect(await types('?stime=2026-03-01T14:00:00%2B02:00')).toEqual(['four', 'three'])
    expect(await types('?etime=2026-03-01')).toEqual([])
    expect((await admin.call('GET', '/v1/logs?limit=1')).body).toEqual([
      {
        time: '2026-03-01T13:00:00.000Z',
        ...{ type: 'four', severity: 'WARNING', originator: 'proxy', object_name: 'bdb:1', message: 'four' },
      },
    ])
    for (const query of ['stime=yesterday', 'limit=0', 'limit=-1', 'offset=x', 'order=up', 'colour=red']) {
      expect((await admin.call('GET', `/v1/logs?${query}`)).status, query).toBe(400)
    }
  })

  it('hold what users change', async () => {
    const { admin } = await start()
    await admin.call('POST', '/v1/users', { email: 'pat@cluster.test', password: 'a-long-password', role: 'none' })
    expect((await admin.call('GET', '/v1/logs')).body).toMatchObject([
      { type: 'user_created', severity: 'INFO', originator: adminEmail, object_name: 'user:2' },
    ])
  })
})
