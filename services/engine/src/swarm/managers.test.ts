// Swarms of several managers: each machine a network of its own on this one, with a whole engine.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNodes, type TestNode, type TestNodes } from './testing/start-nodes.ts'
import { hasEtcd, until } from './testing/start-swarm.ts'
import {
  get,
  idOf,
  join,
  type Listed,
  leaderAt,
  nanos,
  reachable,
  refused,
  running,
  serve,
  setNode,
  settled,
  taken,
} from './testing/swarm-calls.ts'

let machines: TestNodes
let [first, second, third, worker]: TestNode[] = []
let managers: TestNode[] = []
let firstId: string

const slow = { timeout: 120_000 }

interface Network {
  Driver: string
  IPAM: { Config: { Subnet: string }[] }
}
const isOverlay = ({ Driver }: Network) => Driver === 'overlay'
const onOver = {
  Networks: [{ Target: 'over' }],
  ContainerSpec: { Image: 'busybox', Command: ['sh', '-c', 'echo begun; sleep 3600'], StopGracePeriod: 0.1 * nanos },
}
const nodeTold = async (node: TestNode, count: number) =>
  (await until(node, '/info', ({ Swarm }) => Swarm.RemoteManagers?.length === count)).Swarm.RemoteManagers.sort(
    (one: { Addr: string }, other: { Addr: string }) => one.Addr.localeCompare(other.Addr),
  )

beforeAll(async () => {
  if (!hasEtcd) return
  machines = await startNodes(4)
  ;[first, second, third, worker] = machines.nodes as [TestNode, TestNode, TestNode, TestNode]
  managers = [first, second, third]
  const { status, body } = await first!.call('POST', '/swarm/init', {
    ...{ ListenAddr: '0.0.0.0:2377', AdvertiseAddr: first!.address },
    Spec: { Dispatcher: { HeartbeatPeriod: 2 * nanos } },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  firstId = body
}, 240_000)

afterAll(() => machines?.stop(), 120_000)

describe.skipIf(!hasEtcd)('several managers', slow, () => {
  it('are made by joining with their token and by promoting a worker, and say who leads', async () => {
    const joined = await join(second!, first!, 'Manager')
    expect([joined.status, joined.body]).toEqual([200, ''])
    expect((await get('/info', second!)).Swarm).toMatchObject({
      ...{ LocalNodeState: 'active', ControlAvailable: true, Managers: 2, Nodes: 2 },
    })
    for (const node of [third!, worker!]) expect((await join(node, second!, 'Worker')).status).toBe(200)
    const thirdId = await idOf(third!)
    expect((await setNode(second!, thirdId, { Role: 'manager' })).status).toBe(200)
    await until(third!, '/info', ({ Swarm }) => Swarm.ControlAvailable === true)
    expect(await idOf(third!)).toBe(thirdId)
    for (const node of managers) {
      const all: Listed[] = await settled(node, 3)
      expect(leaderAt(all)).toBe(await idOf(first!))
      expect(
        reachable(all)
          .map(({ ManagerStatus }) => ManagerStatus?.Addr)
          .sort(),
      ).toEqual(managers.map(({ address }) => `${address}:2377`))
      expect((await get('/info', node)).Swarm).toMatchObject({ Managers: 3, Nodes: 4, ControlAvailable: true })
    }
    expect(await nodeTold(worker!, 3)).toEqual(managers.map(({ address }) => ({ NodeID: '', Addr: `${address}:2377` })))
  })

  it('all take writes: what one made all have, names and addresses once', async () => {
    const asked = { Name: 'over', Driver: 'overlay', Attachable: true }
    const made = await second!.call('POST', '/networks/create', asked)
    expect(made.status).toBe(201)
    for (const node of managers) await until(node, '/networks/over', ({ Id }) => Id === made.body.Id)
    const shown = await Promise.all(managers.map((node) => get('/networks/over', node)))
    for (const { IPAM, Attachable } of shown) expect([IPAM, Attachable]).toEqual([shown[0].IPAM, true])
    expect((await third!.call('POST', '/networks/create', asked)).status).toBe(409)
    const together = await Promise.all(
      managers.map((node) => node.call('POST', '/networks/create', { Name: `at-${node.address}`, Driver: 'overlay' })),
    )
    expect(together.map(({ status }) => status)).toEqual([201, 201, 201])
    const all = await until(first!, '/networks', (list) => list.filter(isOverlay).length === 5)
    const subnets = all.filter(isOverlay).map(({ IPAM }: Network) => IPAM.Config[0]?.Subnet)
    expect(new Set(subnets).size).toBe(5)
    for (const { address } of managers) {
      expect((await second!.call('DELETE', `/networks/at-${address}`)).status).toBe(204)
    }
    await until(third!, '/networks', (list) => list.filter(isOverlay).length === 2)
    expect((await serve(third!, 'kept', { Mode: { Global: {} } }, onOver)).status).toBe(201)
    expect((await serve(second!, 'kept')).status).toBe(409)
    expect(new Set((await running(first!, 'kept', 4)).map(({ NodeID }) => NodeID)).size).toBe(4)
  })

  it('read what tasks of all nodes say, whoever of them is asked', async () => {
    for (const node of managers) {
      const { body } = await node.client.call('GET', '/services/kept/logs?stdout=1')
      expect(body.toString().match(/begun/g), node.address).toHaveLength(4)
    }
  })

  it('go on when the leader is killed: another leads, writes are taken, workers move, tasks are replaced', async () => {
    const before = await running(second!, 'kept', 4)
    const workerId = await idOf(worker!)
    await first!.kill()
    expect((await taken(second!, 'next')).status).toBe(201)
    const all: Listed[] = await settled(second!, 2)
    expect(leaderAt(all)).not.toBe(before.find(({ NodeID }) => NodeID === firstId)?.NodeID)
    expect(all.find(({ ID }) => ID === firstId)?.ManagerStatus?.Reachability).toBe('unreachable')
    await running(third!, 'next', 1)
    await until(third!, `/nodes/${workerId}`, ({ Status }) => Status.State === 'ready')
    await until(third!, `/nodes/${firstId}`, ({ Status }) => Status.State === 'down')
    const labelled = await setNode(third!, workerId, { Labels: { here: 'yes' } })
    expect(labelled.status).toBe(200)
    const Constraints = ['node.labels.here==yes']
    expect((await serve(second!, 'there', {}, { Placement: { Constraints } })).status).toBe(201)
    expect((await running(second!, 'there', 1))[0]?.NodeID).toBe(workerId)
    // Demoted while it is away, it finds itself a worker, and can be promoted again.
    expect((await setNode(second!, firstId, { Role: 'worker' })).status).toBe(200)
    await first!.revive()
    await until(second!, `/nodes/${firstId}`, ({ Status, Spec }) => Status.State === 'ready' && Spec.Role === 'worker')
    expect((await get('/info', first!)).Swarm).toMatchObject({ ControlAvailable: false, LocalNodeState: 'active' })
    expect((await setNode(second!, firstId, { Role: 'manager' })).status).toBe(200)
    await until(first!, '/info', ({ Swarm }) => Swarm.ControlAvailable === true)
    await settled(first!, 3)
    expect((await running(first!, 'kept', 4)).map(({ NodeID }) => NodeID).sort()).toEqual(
      before.map(({ NodeID }) => NodeID).sort(),
    )
  })

  it('answer reads and refuse writes when most of them are gone, and go on when they are back', async () => {
    await Promise.all([second!.kill(), third!.kill()])
    const { status, body } = await refused(first!)
    expect([status, body.message]).toEqual([503, expect.stringContaining('does not have a leader')])
    const names = (await get('/services', first!)).map(({ Spec }: { Spec: { Name: string } }) => Spec.Name)
    expect(names).toEqual(expect.arrayContaining(['kept', 'next', 'there']))
    await Promise.all([second!.revive(), third!.revive()])
    for (const node of managers) await settled(node, 3)
    expect((await taken(first!, 'again')).status).toBe(201)
    await running(third!, 'kept', 4)
    await running(third!, 'again', 1)
  })

  it('become workers when they are demoted, also the one that leads, and leave by force', async () => {
    const leader = leaderAt(await settled(first!, 3))
    const index = (await Promise.all(managers.map(idOf))).indexOf(leader ?? '')
    const [led, other] = [managers[index]!, managers[(index + 1) % 3]!]
    expect((await setNode(led, leader ?? '', { Role: 'worker' })).status).toBe(200)
    await until(led, '/info', ({ Swarm }) => Swarm.ControlAvailable === false && Swarm.LocalNodeState === 'active')
    await until(other, `/nodes/${leader}`, ({ Status, ManagerStatus }) => Status.State === 'ready' && !ManagerStatus)
    const all: Listed[] = await settled(other, 2)
    expect(all).toHaveLength(4)
    await running(other, 'kept', 4)
    const last = managers[(index + 2) % 3]!
    const otherId = await idOf(other)
    expect((await other.call('POST', '/swarm/leave?force=1')).status).toBe(200)
    await settled(last, 1)
    expect((await taken(last, 'alone')).status).toBe(201)
    expect(await get(`/nodes/${otherId}`, last)).toMatchObject({ Status: { State: 'down' }, Spec: { Role: 'worker' } })
    expect((await last.call('DELETE', `/nodes/${otherId}`)).status).toBe(200)
    await running(last, 'kept', 3)
  })
})
