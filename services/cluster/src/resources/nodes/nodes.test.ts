import { availableParallelism, totalmem } from 'node:os'
import { expect, it } from 'vitest'
import { describeCluster } from '../../testing/cluster-server.ts'

describeCluster('nodes', (start) => {
  it('are this machine alone', async () => {
    const { admin } = await start()
    const { body } = await admin.call('GET', '/v1/nodes')
    expect(body).toMatchObject([
      { uid: 1, addr: '127.0.0.1', status: 'active', software_version: '7.8.2', shard_count: 0 },
    ])
    expect(body[0]).toMatchObject({ cores: availableParallelism(), total_memory: totalmem() })
    expect((await admin.call('GET', '/v1/nodes/1')).body.uid).toBe(1)
    const missing = await admin.call('GET', '/v1/nodes/2')
    expect(missing).toMatchObject({ status: 404, body: { message: 'There is no node 2.' } })
    expect((await admin.call('GET', '/v1/nodes/one')).status).toBe(400)
  })
})
