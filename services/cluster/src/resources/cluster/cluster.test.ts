import { expect, it } from 'vitest'
import { describeCluster } from '../../testing/cluster-server.ts'

describeCluster('the cluster', (start) => {
  it('tells its name, its release, since when it is there and what modules can support', async () => {
    const first = await start()
    const { body } = await first.admin.call('GET', '/v1/cluster')
    expect(body).toMatchObject({ name: 'atoll.local', software_version: '7.8.2', nodes_count: 1 })
    await first.close()
    const second = await start({ after: first })
    expect((await second.admin.call('GET', '/v1/cluster')).body.created_time).toBe(body.created_time)
    const { all_capabilities: all } = (await second.admin.call('GET', '/v1/cluster/module-capabilities')).body
    expect(all).toHaveLength(16)
    expect(all).toContainEqual({ name: 'failover_migrate', desc: expect.any(String) })
  })
})
