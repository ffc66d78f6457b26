import { expect, it } from 'vitest'
import { type ClusterServer, describeCluster } from '../../testing/cluster-server.ts'

const upgrade = { name: 'SMUpgradeBDB', objectName: 'bdb:1', description: 'upgrade tally to 2.0.0' }

const begin = ({ core, kernel }: ClusterServer, change: Partial<typeof upgrade> = {}) =>
  kernel.db.transaction((tx) => core.actions.begin(tx, { ...upgrade, ...change }))

describeCluster('actions', (start) => {
  it('tell how far they are, what is being done, and how they ended', async () => {
    const server = await start()
    const { admin, core } = server
    const { uid } = await begin(server)
    const get = async (version = 'v1') => (await admin.call('GET', `/${version}/actions/${uid}`)).body
    const begun = await get()
    expect(begun).toMatchObject({ action_uid: uid, name: 'SMUpgradeBDB', object_name: 'bdb:1', node_uid: '1' })
    expect(begun).toMatchObject({ status: 'pending', progress: 0, pending_ops: {} })
    const pendingOps = { 'redis:1': { op_name: 'wait_for_sync', progress: 40, status_description: 'syncing' } }
    await core.actions.change(uid, { status: 'active', progress: 50, state: 'upgrade_replicas', pendingOps })
    const running = { status: 'active', progress: 50, state: 'upgrade_replicas', pending_ops: pendingOps }
    expect(await get()).toMatchObject(running)
    await core.actions.change(uid, { status: 'failed', state: 'rolled_back', error: 'the module was refused' })
    expect(await get('v2')).toMatchObject({
      action_type: 'state-machine',
      status: 'failed',
      progress: 50,
      creation_time: expect.any(Number),
      additional_info: {
        ...{ object_type: 'bdb', object_uid: '1', description: upgrade.description },
        ...{ state: 'rolled_back', error: 'the module was refused', pending_ops: {} },
      },
    })
  })

  it('are listed, the newest first: tasks and state machines apart, or all together', async () => {
    let now = 1_000_000
    const server = await start({ clock: { now: () => now++ } })
    const { admin } = server
    const machine = await begin(server)
    const task = await begin(server, { name: 'install_module', objectName: 'module:x' })
    const { body } = await admin.call('GET', '/v1/actions')
    expect(body.actions.map((one: { action_uid: string }) => one.action_uid)).toEqual([task.uid])
    expect(body['state-machines'].map((one: { action_uid: string }) => one.action_uid)).toEqual([machine.uid])
    const second = await admin.call('GET', '/v2/actions')
    expect(second.body.map((one: { action_uid: string }) => one.action_uid)).toEqual([task.uid, machine.uid])
    for (const version of ['v1', 'v2']) {
      expect((await admin.call('GET', `/${version}/actions/none`)).status).toBe(404)
    }
  })

  it('run one at a time on an object, also when several begin at once', async () => {
    const server = await start()
    const ends = await Promise.allSettled([1, 2, 3, 4].map(() => begin(server)))
    const begun = ends.filter((end) => end.status === 'fulfilled')
    expect(begun).toHaveLength(1)
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ status: 409 })
    expect(await server.core.actions.running()).toHaveLength(1)
    await begin(server, { objectName: 'bdb:2' })
    await server.core.actions.change(begun[0]!.value.uid, { status: 'completed', progress: 100 })
    await begin(server)
  })

  it('are found again after a restart, to be gone on with', async () => {
    const first = await start()
    const { uid } = await begin(first)
    const ended = await begin(first, { objectName: 'bdb:2' })
    const details = { step: 'handover', shards: ['redis:1'] }
    await first.core.actions.change(uid, { status: 'active', details })
    await first.core.actions.change(ended.uid, { status: 'completed' })
    await first.close()
    const second = await start({ after: first })
    expect(await second.core.actions.running()).toMatchObject([{ uid, status: 'active', details, objectName: 'bdb:1' }])
  })
})
