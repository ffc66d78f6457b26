// Swarms of several machines: each a network of its own on this one, with a whole engine.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../testing/ask-json.ts'
import { filesWith } from './testing/files-with.ts'
import { hasVxlan, startNodes, type TestNode, type TestNodes } from './testing/start-nodes.ts'
import { hasEtcd, until } from './testing/start-swarm.ts'

let machines: TestNodes
let manager: TestNode
let worker: TestNode
let other: TestNode
let managerId: string

const second = 1e9
/** Three engines share the machine with other tests. */
const slow = { timeout: 120_000 }
const get = async (path: string, from = manager): Promise<Answer['body']> => (await from.call('GET', path)).body
const tokens = async (): Promise<{ Worker: string; Manager: string }> => (await get('/swarm')).JoinTokens
const join = async (node: TestNode, change: object = {}) =>
  node.call('POST', '/swarm/join', {
    ...{ ListenAddr: '0.0.0.0:2377', RemoteAddrs: [`${manager.address}:2377`], JoinToken: (await tokens()).Worker },
    ...change,
  })
const idOf = async (node: TestNode): Promise<string> => (await get('/info', node)).Swarm.NodeID
const nodeNamed = (id: string) => get(`/nodes/${id}`)
const setNode = async (id: string, change: object) => {
  const { Spec, Version } = await nodeNamed(id)
  return manager.call('POST', `/nodes/${id}/update?version=${Version.Index}`, { ...Spec, ...change })
}
const serve = async (name: string, change: object = {}, template: object = {}): Promise<string> => {
  const { status, body } = await manager.call('POST', '/services/create', {
    Name: name,
    TaskTemplate: {
      ContainerSpec: { Image: 'busybox', Command: ['sleep', '3600'], StopGracePeriod: 0.1 * second },
      ...template,
    },
    ...change,
  })
  expect([status, body.message]).toEqual([201, undefined])
  return body.ID
}
interface Task {
  ID: string
  NodeID: string
  DesiredState: string
  Status: { State: string; ContainerStatus?: { ContainerID: string } }
}
const tasksOf = (service: string) => `/tasks?filters=${encodeURIComponent(JSON.stringify({ service: [service] }))}`
const isRunning = ({ Status, DesiredState }: Task) => Status.State === 'running' && DesiredState === 'running'
const running = (service: string, count: number, isRight: (tasks: Task[]) => boolean = () => true): Promise<Task[]> =>
  until(manager, tasksOf(service), (all: Task[]) => {
    const up = all.filter(isRunning)
    return up.length === count && isRight(up)
  }).then((all: Task[]) => all.filter(isRunning))
const containersOf = async (node: TestNode): Promise<string[]> =>
  (await get('/containers/json', node)).map(({ Id }: { Id: string }) => Id)

beforeAll(async () => {
  if (!hasEtcd) return
  machines = await startNodes(3)
  ;[manager, worker, other] = machines.nodes as [TestNode, TestNode, TestNode]
  const { status, body } = await manager.call('POST', '/swarm/init', {
    ...{ ListenAddr: '0.0.0.0:2377', AdvertiseAddr: manager.address },
    Spec: { Dispatcher: { HeartbeatPeriod: 3 * second } },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  managerId = body
}, 240_000)

afterAll(() => machines?.stop(), 120_000)

describe.skipIf(!hasEtcd)('a machine that joins', slow, () => {
  it('is refused with a token that is none, of another swarm, or was changed; and where nobody answers', async () => {
    const token = (await tokens()).Worker
    const refusals: [object, number, RegExp][] = [
      [{ JoinToken: 'SWMTKN-1-x-y' }, 400, /invalid join token/],
      [{ JoinToken: token.replace(/-\w{25}$/, `-${'0'.repeat(25)}`) }, 400, /valid join token is necessary/],
      [{ JoinToken: token.replace(/1-\w{50}/, `1-${'0'.repeat(50)}`) }, 400, /does not match fingerprint/],
      [{ RemoteAddrs: [] }, 400, /RemoteAddr is required/],
      [{ RemoteAddrs: [`${manager.address}:9`] }, 503, /No manager could be reached/],
      [{ Availability: 'maybe' }, 400, /maybe/],
    ]
    for (const [change, status, words] of refusals) {
      const answer = await join(worker, change)
      expect([answer.status, answer.body.message], JSON.stringify(change)).toEqual([
        status,
        expect.stringMatching(words),
      ])
    }
    expect((await get('/info', worker)).Swarm).toMatchObject({ LocalNodeState: 'inactive', NodeID: '' })
    expect(await get('/nodes')).toHaveLength(1)
  })

  it('ENG-034 is a worker then: it says so, is listed, and manages nothing', async () => {
    expect((await join(worker)).status).toBe(200)
    const id = await idOf(worker)
    expect((await get('/info', worker)).Swarm).toMatchObject({
      ...{ LocalNodeState: 'active', ControlAvailable: false, NodeAddr: worker.address },
      RemoteManagers: [{ Addr: `${manager.address}:2377` }],
    })
    const ping = await worker.client.open('GET', '/_ping')
    ping.resume()
    expect(ping.headers.swarm).toBe('active/worker')
    const node = await until(manager, `/nodes/${id}`, ({ Status }) => Status.State === 'ready')
    expect(node).toMatchObject({
      Spec: { Role: 'worker', Availability: 'active' },
      Status: { State: 'ready', Addr: worker.address },
    })
    expect(node.ManagerStatus).toBeUndefined()
    expect((await get('/nodes')).map(({ ID }: { ID: string }) => ID).sort()).toEqual([id, managerId].sort())
    const refused = await worker.call('GET', '/nodes')
    expect([refused.status, refused.body.message]).toEqual([503, expect.stringMatching(/Worker nodes can't be used/)])
    const again = await join(worker)
    expect([again.status, again.body.message]).toEqual([503, expect.stringContaining('already part of a swarm')])
  })

  it('may join drained', async () => {
    expect((await join(other, { Availability: 'drain' })).status).toBe(200)
    expect((await nodeNamed(await idOf(other))).Spec.Availability).toBe('drain')
  })
})

describe.skipIf(!hasEtcd)('tasks on several nodes', slow, () => {
  it('are spread over those that may have them, with their secrets, which no disk has, and end with their service', async () => {
    const word = randomBytes(24).toString('hex')
    const Data = Buffer.from(word).toString('base64')
    const secret = await manager.call('POST', '/secrets/create', { Name: 'word', Data })
    const Secrets = [{ SecretID: secret.body.ID, SecretName: 'word', File: { Name: 'word' } }]
    const ContainerSpec = { Image: 'busybox', Command: ['sleep', '3600'], StopGracePeriod: 0.1 * second, Secrets }
    await serve('spread', { Mode: { Replicated: { Replicas: 4 } } }, { ContainerSpec })
    const tasks = await running('spread', 4)
    const workerId = await idOf(worker)
    expect(tasks.map(({ NodeID }) => NodeID).sort()).toEqual([managerId, managerId, workerId, workerId].sort())
    const there = tasks.find(({ NodeID }) => NodeID === workerId)?.Status.ContainerStatus?.ContainerID ?? ''
    expect(await worker.inside(there, 'cat /run/secrets/word')).toBe(word)
    expect((await filesWith('"spread"', machines.nodes)).length).toBeGreaterThan(0)
    for (const written of [word, Data]) expect(await filesWith(written, machines.nodes)).toEqual([])
    expect((await containersOf(worker)).length).toBe(2)
    expect((await manager.call('DELETE', '/services/spread')).status).toBe(200)
    await until(worker, '/containers/json?all=1', (left) => left.length === 0)
    await until(manager, tasksOf('spread'), (left) => left.length === 0)
  })

  it('tell what they say wherever they are, in one stream, also while it is followed', async () => {
    const Command = ['sh', '-c', 'echo I am $(hostname); seq 20000; echo done; sleep 3600']
    await serve(
      'telling',
      { Mode: { Replicated: { Replicas: 2 } } },
      { ContainerSpec: { Image: 'busybox', Command, StopGracePeriod: 0.1 * second } },
    )
    const tasks = await running('telling', 2)
    expect(new Set(tasks.map(({ NodeID }) => NodeID))).toEqual(new Set([managerId, await idOf(worker)]))
    const read = async (query: string) =>
      (await manager.client.call('GET', `/services/telling/logs?stdout=1&${query}`)).body.toString()
    await expect.poll(async () => (await read('tail=1')).match(/done/g)?.length, { timeout: 20_000 }).toBe(2)
    const all = await read('details=1')
    expect(all.match(/I am /g)).toHaveLength(2)
    expect(all.match(/ 20000\n/g)).toHaveLength(2)
    for (const { NodeID } of tasks) expect(all).toContain(`com.docker.swarm.node.id=${NodeID},`)
    for (const { ID } of tasks) expect(all).toContain(`com.docker.swarm.task.id=${ID} done`)
    const followed = await manager.client.open('GET', '/services/telling/logs?stdout=1&follow=1&tail=1')
    let heard = ''
    for await (const chunk of followed) {
      heard += chunk.toString()
      if (heard.match(/done/g)?.length === 2) break
    }
    expect(heard.match(/done/g)).toHaveLength(2)
    expect((await manager.call('DELETE', '/services/telling')).status).toBe(200)
    await until(manager, '/tasks', (left) => left.length === 0)
  })

  it('go elsewhere from a node that is drained', async () => {
    const workerId = await idOf(worker)
    await serve(
      'moved',
      { Mode: { Replicated: { Replicas: 2 } } },
      { Placement: { Constraints: ['node.role==worker'] } },
    )
    await running('moved', 2, (tasks) => tasks.every(({ NodeID }) => NodeID === workerId))
    const otherId = await idOf(other)
    expect((await setNode(otherId, { Availability: 'active' })).status).toBe(200)
    expect((await setNode(workerId, { Availability: 'drain' })).status).toBe(200)
    await running('moved', 2, (tasks) => tasks.every(({ NodeID }) => NodeID === otherId))
    await until(worker, '/containers/json', (left) => left.length === 0)
    expect((await setNode(workerId, { Availability: 'active' })).status).toBe(200)
  })

  it('run on while their engine is away, and are the same after it', async () => {
    const [before] = [await running('moved', 2)]
    const containers = await containersOf(other)
    await other.restart()
    await until(other, '/info', ({ Swarm }) => Swarm.LocalNodeState === 'active')
    expect(await containersOf(other)).toEqual(containers)
    expect((await running('moved', 2)).map(({ ID }) => ID)).toEqual(before.map(({ ID }) => ID))
  })

  it('run on while their manager is away, and are the same after it', async () => {
    const before = await running('moved', 2)
    const containers = await containersOf(other)
    await manager.restart()
    await until(other, '/info', ({ Swarm }) => Swarm.LocalNodeState === 'active')
    const ready = (nodes: { Status: { State: string } }[]) => nodes.filter(({ Status }) => Status.State === 'ready')
    await until(manager, '/nodes', (nodes) => ready(nodes).length === 3)
    expect((await running('moved', 2)).map(({ ID }) => ID).sort()).toEqual(before.map(({ ID }) => ID).sort())
    expect(await containersOf(other)).toEqual(containers)
    expect(await containersOf(worker)).toEqual([])
  })

  it('of a node that is cut off run on there, are replaced, and are ended when it is back', async () => {
    const [workerId, otherId] = [await idOf(worker), await idOf(other)]
    const containers = await containersOf(other)
    expect(containers).toHaveLength(2)
    await other.link(false)
    await until(manager, `/nodes/${otherId}`, ({ Status }) => Status.State === 'down')
    await running('moved', 2, (tasks) => tasks.every(({ NodeID }) => NodeID === workerId))
    expect(await containersOf(other)).toEqual(containers)
    await other.link(true)
    await until(other, '/containers/json', (left) => left.length === 0)
    expect(await until(manager, `/nodes/${otherId}`, ({ Status }) => Status.State === 'ready')).toMatchObject({
      Status: { Message: '' },
    })
    expect(await containersOf(worker)).toHaveLength(2)
    const refused = await manager.call('DELETE', `/nodes/${otherId}`)
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(/is not down/)])
  })
})

describe.skipIf(!hasEtcd || !hasVxlan)('networks that span nodes', slow, () => {
  const answering = ['sh', '-c', 'hostname > /tmp/index.html; httpd -f -p 80 -h /tmp']
  const web = { ContainerSpec: { Image: 'busybox', Command: answering, StopGracePeriod: 0.1 * second } }
  const Networks = [{ Target: 'over', Aliases: ['alias'] }]
  const many = (get: string) => `for i in $(seq 20); do ${get}; done | sort -u | wc -l`
  const askers: { node: TestNode; container: string }[] = []

  beforeAll(async () => {
    await manager.call('DELETE', '/services/moved')
    await setNode(await idOf(other), { Availability: 'active' })
    const made = await manager.call('POST', '/networks/create', { Name: 'over', Driver: 'overlay', Attachable: true })
    expect(made.status).toBe(201)
    await serve('web', { Mode: { Global: {} } }, { ...web, Networks })
    await serve(
      'rr',
      { Mode: { Global: {} }, EndpointSpec: { Mode: 'dnsrr' } },
      { ...web, Networks: [{ Target: 'over' }] },
    )
    await running('rr', 3)
    for (const { NodeID, Status } of await running('web', 3)) {
      for (const node of machines.nodes) {
        if ((await idOf(node)) === NodeID) askers.push({ node, container: Status.ContainerStatus?.ContainerID ?? '' })
      }
    }
    expect(askers).toHaveLength(3)
  }, 60_000)

  it('let tasks of all nodes find one another by name, by an address that stands for all, and one by one', async () => {
    const { Endpoint } = await until(manager, '/services/web', (body) => body.Endpoint.VirtualIPs?.length === 1)
    const address = Endpoint.VirtualIPs[0].Addr.split('/')[0]
    const looked = async ({ node, container }: (typeof askers)[number], name: string): Promise<string[]> => {
      const script = `nslookup ${name} | tail -n +3 | grep -oE '10\\.0\\.[0-9]+\\.[0-9]+' | sort -u`
      return (await node.inside(container, script)).trim().split('\n')
    }
    for (const asker of askers) {
      await expect.poll(() => looked(asker, 'tasks.web'), { timeout: 10_000 }).toHaveLength(3)
      expect(await looked(asker, 'tasks.alias')).toHaveLength(3)
      await expect.poll(() => looked(asker, 'rr'), { timeout: 10_000 }).toHaveLength(3)
      for (const name of ['web', 'alias', 'web.over']) expect(await looked(asker, name)).toEqual([address])
      for (const one of await looked(asker, 'tasks.web')) {
        expect(await asker.node.inside(asker.container, `timeout 5 wget -qO- http://${one}/`)).not.toBe('')
      }
      expect((await asker.node.inside(asker.container, many('timeout 5 wget -qO- http://web/'))).trim()).toBe('3')
      expect(await asker.node.inside(asker.container, 'cat /sys/class/net/eth0/mtu')).toBe('1450\n')
      // As large as a packet can be there, and larger: both arrive whole.
      expect(await asker.node.inside(asker.container, 'ping -c 1 -W 5 -s 4000 tasks.rr')).toContain(
        '1 packets received',
      )
    }
    const { Peers, Services } = await get('/networks/over?verbose=true')
    expect(Peers).toHaveLength(3)
    expect(Services.web.Tasks.every((task: { EndpointIP: string }) => task.EndpointIP.startsWith('10.0.'))).toBe(true)
  })

  it('take containers by hand on the manager, and tasks elsewhere answer them', async () => {
    await manager.run('1.47', 'guest', { HostConfig: { NetworkMode: 'over' } })
    await expect
      .poll(() => manager.inside('guest', many('timeout 5 wget -qO- http://rr/ || true')).then((text) => text.trim()), {
        timeout: 15_000,
      })
      .toBe('3')
    expect((await manager.call('DELETE', '/containers/guest?force=1')).status).toBe(204)
    const removed = await worker.call('DELETE', '/networks/over')
    expect([removed.status, removed.body.message]).toEqual([503, expect.stringContaining('not a swarm manager')])
  })

  it('take containers by hand on workers, with addresses that are free again when they are gone', async () => {
    const made = { Name: 'hands', Driver: 'overlay', Attachable: true, IPAM: { Config: [{ Subnet: '10.77.0.0/24' }] } }
    expect((await manager.call('POST', '/networks/create', made)).status).toBe(201)
    await serve('served', {}, { ...web, Networks: [{ Target: 'hands' }] })
    await running('served', 1)
    const guests = async () => {
      const tasks: Answer['body'][] = await get('/tasks')
      return tasks.filter(({ Spec }) => Spec.NetworkAttachmentSpec !== undefined)
    }
    const answer = (name: string, asked: string, node = worker) =>
      node.inside(name, `timeout 5 wget -qO- http://${asked}/ || true`)
    const ask = { Container: 'second', EndpointConfig: { IPAMConfig: { IPv4Address: '10.77.0.99' } } }
    // Neither worker has heard of the network before.
    await other.run('1.47', 'second', {})
    expect((await other.call('POST', '/networks/hands/connect', ask)).status).toBe(200)
    await worker.run('1.47', 'first', { HostConfig: { NetworkMode: 'hands' } })
    for (const [node, name] of [[worker, 'first'] as const, [other, 'second'] as const]) {
      await expect.poll(() => answer(name, 'served', node), { timeout: 15_000 }).not.toBe('')
    }
    expect(await worker.inside('first', 'ping -c 1 -W 5 second')).toContain('(10.77.0.99)')
    expect((await guests()).map(({ NodeID }) => NodeID).toSorted()).toEqual(
      [await idOf(worker), await idOf(other)].toSorted(),
    )
    // Found by its name of now, on all nodes; on this machine and on a manager's.
    expect((await other.call('POST', '/containers/second/rename?name=renamed')).status).toBe(204)
    await manager.run('1.47', 'own', { HostConfig: { NetworkMode: 'hands' } })
    expect((await manager.call('POST', '/containers/own/rename?name=owned')).status).toBe(204)
    const finds = (name: string) => worker.inside('first', `timeout 5 ping -c 1 -W 5 ${name} || true`)
    await expect.poll(() => finds('renamed'), { timeout: 15_000 }).toContain('(10.77.0.99)')
    await expect.poll(() => finds('owned'), { timeout: 15_000 }).toContain('(10.77.0.')
    expect(await finds('second')).not.toContain('(10.77.0.99)')
    expect((await other.call('POST', '/containers/renamed/rename?name=second')).status).toBe(204)
    expect((await manager.call('DELETE', '/containers/owned?force=1')).status).toBe(204)
    // Labels make no task of a container: it has to ask as others do.
    const Labels = { 'com.docker.swarm.task.id': 'forged' }
    await worker.run('1.47', 'forged', { Labels, HostConfig: { NetworkMode: 'hands' } })
    await expect.poll(async () => (await guests()).length).toBe(3)
    expect((await worker.call('DELETE', '/containers/forged?force=1')).status).toBe(204)
    const asked = { Image: 'busybox', NetworkingConfig: { EndpointsConfig: { hands: ask.EndpointConfig } } }
    await worker.call('POST', '/containers/create?name=third', { ...asked, HostConfig: { NetworkMode: 'hands' } })
    const taken = await worker.call('POST', '/containers/third/start')
    expect(taken.body.message).toContain('Address already in use')
    expect((await other.call('POST', '/networks/hands/disconnect', { Container: 'second' })).status).toBe(200)
    await expect.poll(async () => (await worker.call('POST', '/containers/third/start')).status).toBe(204)
    expect((await manager.call('DELETE', '/services/served')).status).toBe(200)
    const used = await manager.call('DELETE', '/networks/hands')
    expect([used.status, used.body.message]).toEqual([403, expect.stringContaining('has active endpoints')])
    for (const name of ['first', 'third']) {
      expect((await worker.call('DELETE', `/containers/${name}?force=1`)).status).toBe(204)
    }
    await other.call('DELETE', '/containers/second?force=1')
    await expect.poll(guests).toEqual([])
    await expect.poll(async () => (await manager.call('DELETE', '/networks/hands')).status).toBe(204)
  })

  it('refuse containers on workers where they are not attachable, or are not there', async () => {
    await manager.call('POST', '/networks/create', { Name: 'closed', Driver: 'overlay' })
    for (const [network, words] of [
      ['closed', 'not manually attachable'],
      ['nowhere', 'network nowhere not found'],
    ]) {
      await worker.call('POST', `/containers/create?name=${network}`, {
        ...{ Image: 'busybox', HostConfig: { NetworkMode: network } },
      })
      expect((await worker.call('POST', `/containers/${network}/start`)).body.message).toContain(words)
      await worker.call('DELETE', `/containers/${network}`)
    }
    expect((await manager.call('DELETE', '/networks/closed')).status).toBe(204)
  })

  it('forget where an address was once its task is gone: the next that has it may be on any node', async () => {
    const Placement = { Constraints: [`node.id==${await idOf(worker)}`] }
    await serve('moving', { EndpointSpec: { Mode: 'dnsrr' } }, { ...web, Networks: [{ Target: 'over' }], Placement })
    const [task] = await running('moving', 1)
    const { NetworkSettings } = await get(`/containers/${task?.Status.ContainerStatus?.ContainerID}/json`, worker)
    const { IPAddress, MacAddress } = NetworkSettings.Networks.over
    const places = async ({ host }: TestNode) => (await host.run('bridge', ['fdb', 'show'])).stdout
    for (const { node, container } of askers) {
      const asked = () => node.inside(container, `timeout 5 wget -qO- http://${IPAddress}/ || true`)
      await expect.poll(asked, { timeout: 20_000 }).not.toBe('')
      expect(await places(node)).toContain(MacAddress)
    }
    expect((await manager.call('DELETE', '/services/moving')).status).toBe(200)
    for (const node of machines.nodes) {
      await expect.poll(() => places(node), { timeout: 20_000 }).not.toContain(MacAddress)
    }
  })

  it('publish ports on every node, whichever of them have the tasks', async () => {
    const EndpointSpec = { Ports: [{ TargetPort: 80, PublishedPort: 8080 }] }
    const Constraints = ['node.role==worker']
    await serve('open', { Mode: { Replicated: { Replicas: 3 } }, EndpointSpec }, { ...web, Placement: { Constraints } })
    await running('open', 3)
    // Each request is a connection of its own.
    const script = (address: string) =>
      `curl -s -m 10 -H 'Connection: close' 'http://${address}:8080/?[1-20]' | sort -u | wc -l`
    const from = async (node: TestNode, address: string) =>
      (await node.host.run('sh', ['-c', script(address)])).stdout.trim()
    for (const node of machines.nodes) {
      await expect.poll(() => from(node, '127.0.0.1'), { timeout: 15_000 }).toBe('3')
      expect(await from(node, node.address)).toBe('3')
    }
    // From another machine to one that has no task, and to one that has some.
    expect(await from(worker, manager.address)).toBe('3')
    expect(Number(await from(manager, worker.address))).toBeGreaterThan(0)
    expect((await manager.call('DELETE', '/services/open')).status).toBe(200)
    const isRefused = async () => (await worker.host.run('curl', ['-s', '-m', '2', 'http://127.0.0.1:8080/'])).code
    await expect.poll(isRefused, { timeout: 10_000 }).not.toBe(0)
  })

  it('hold when an engine of theirs starts again, and go from all nodes when they are removed', async () => {
    await worker.restart()
    await until(worker, '/info', ({ Swarm }) => Swarm.LocalNodeState === 'active')
    for (const { node, container } of askers) {
      const asked = () => node.inside(container, many('timeout 2 wget -qO- http://web/ || true'))
      await expect.poll(asked, { timeout: 20_000 }).toBe('3\n')
    }
    for (const name of ['web', 'rr']) expect((await manager.call('DELETE', `/services/${name}`)).status).toBe(200)
    await until(manager, '/tasks', (left) => left.length === 0)
    expect((await manager.call('DELETE', '/networks/over')).status).toBe(204)
    await until(worker, '/networks', (left) => left.every(({ Name }: { Name: string }) => Name !== 'over'))
    for (const { host } of machines.nodes) {
      await expect
        .poll(async () => (await host.run('ip', ['-br', 'link'])).stdout, { timeout: 10_000 })
        .not.toMatch(/vx-/)
    }
  })
})

describe.skipIf(!hasEtcd)('faults', () => {
  const downMs = 9_000
  const cut = async (node: TestNode, ms: number) => {
    await node.link(false)
    await new Promise((resolve) => setTimeout(resolve, ms))
    await node.link(true)
  }
  const faults: [string, () => Promise<unknown>][] = [
    ['the store is killed', () => manager.host.run('sh', ['-c', 'kill -9 $(pidof etcd)'])],
    ['a worker is cut off for a moment', () => cut(worker, 500)],
    ['an engine starts again', () => other.restart()],
    ['the manager starts again', () => manager.restart()],
    ['a worker is cut off for long', () => cut(other, downMs + 2_000)],
    ['both workers are cut off', () => Promise.all([cut(worker, downMs + 2_000), cut(other, 1_000)])],
    [
      'the store is killed while a worker is cut off',
      () => Promise.all([cut(worker, 1_000), manager.host.run('sh', ['-c', 'kill -9 $(pidof etcd)'])]),
    ],
  ]
  const rounds = process.env.ATOLL_TEST_LONG === '1' ? 60 : 2

  it(
    'of the store, of links and of engines end with as many tasks as wanted, each once',
    async () => {
      await manager.call('DELETE', '/services/moved')
      await serve('kept', { Mode: { Replicated: { Replicas: 4 } } })
      for (let round = 0; round < rounds; round++) {
        const [what, fault] = faults[round % faults.length] as (typeof faults)[number]
        await running('kept', 4)
        await fault()
        await until(
          manager,
          '/nodes',
          (nodes) => Array.isArray(nodes) && nodes.filter(({ Status }) => Status.State === 'ready').length === 3,
        )
        await running('kept', 4)
        const wanted = new Set((await running('kept', 4)).map(({ Status }) => Status.ContainerStatus?.ContainerID))
        const all = async () => (await Promise.all(machines.nodes.map(containersOf))).flat().sort()
        await expect.poll(all, { timeout: 20_000, message: what }).toEqual([...wanted].sort())
      }
      expect((await manager.call('DELETE', '/services/kept')).status).toBe(200)
      await until(manager, '/tasks', (left) => left.length === 0)
    },
    rounds * 60_000,
  )
})

describe.skipIf(!hasEtcd)('a node', slow, () => {
  beforeAll(async () => {
    await manager.call('DELETE', '/services/moved')
    await until(manager, '/tasks', (left) => left.length === 0)
    await serve(
      'left',
      { Mode: { Replicated: { Replicas: 2 } } },
      { Placement: { Constraints: ['node.role==worker'] } },
    )
    await running('left', 2)
  }, 60_000)

  it('that leaves is down at once, its tasks go elsewhere, and it can join as another', async () => {
    const [workerId, otherId] = [await idOf(worker), await idOf(other)]
    expect((await worker.call('POST', '/swarm/leave')).status).toBe(200)
    expect((await get('/info', worker)).Swarm).toMatchObject({ LocalNodeState: 'inactive', NodeID: '' })
    expect(await get('/containers/json?all=1', worker)).toEqual([])
    expect((await nodeNamed(workerId)).Status).toMatchObject({ State: 'down', Message: 'node left the swarm' })
    await running('left', 2, (tasks) => tasks.every(({ NodeID }) => NodeID === otherId))
    expect((await manager.call('DELETE', `/nodes/${workerId}`)).status).toBe(200)
    expect((await join(worker)).status).toBe(200)
    expect(await idOf(worker)).not.toBe(workerId)
  })

  it('ENG-663 that is removed by force is told of, runs nothing more, and knows why', async () => {
    const otherId = await idOf(other)
    const since = Math.floor(Date.now() / 1000)
    expect((await manager.call('DELETE', `/nodes/${otherId}?force=1`)).status).toBe(200)
    const workerId = await idOf(worker)
    await running('left', 2, (tasks) => tasks.every(({ NodeID }) => NodeID === workerId))
    await until(other, '/containers/json?all=1', (left) => left.length === 0)
    expect((await get('/info', other)).Swarm).toMatchObject({
      ...{ LocalNodeState: 'error', Error: expect.stringMatching(/was removed from the swarm/) },
    })
    const filters = encodeURIComponent(JSON.stringify({ type: ['node'] }))
    const told = await manager.client.call(
      'GET',
      `/v1.30/events?since=${since}&until=${Math.floor(Date.now() / 1000) + 1}&filters=${filters}`,
    )
    expect(told.body.toString()).toMatch(new RegExp(`"Action":"remove","Actor":{"ID":"${otherId}"`))
    expect((await other.call('POST', '/swarm/leave')).status).toBe(200)
  })

  it('that dies leaves its tasks to others', async () => {
    expect((await join(other)).status).toBe(200)
    const [workerId, otherId] = [await idOf(worker), await idOf(other)]
    await worker.host.stop()
    await running('left', 2, (tasks) => tasks.every(({ NodeID }) => NodeID === otherId))
    expect((await nodeNamed(workerId)).Status).toMatchObject({ State: 'down', Message: 'heartbeat failure' })
  })
})
