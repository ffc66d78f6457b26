// Networks of a swarm of one machine: who may be on them, what they are told by name, and how services are reached.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSwarm, hasEtcd, until } from '../../swarm/testing/start-swarm.ts'
import type { Answer } from '../../testing/ask-json.ts'
import { around, inAllVersions, spans } from '../../testing/by-version.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
const call = (method: string, path: string, body?: unknown) => engine.call(method, path, body)
const get = async (path: string) => (await call('GET', path)).body
const answering = ['sh', '-c', 'hostname > /tmp/index.html; httpd -f -p 80 -h /tmp']
const service = (Name: string, container: object, more: object = {}, task: object = {}) => ({
  ...{
    Name,
    TaskTemplate: { ContainerSpec: { Image: 'busybox', StopGracePeriod: 0, ...container }, ...task },
    ...more,
  },
})
const isUp = (count: number) => (tasks: Answer['body']) =>
  tasks.filter(({ Status }: Answer['body']) => Status.State === 'running').length === count
const running = (name: string, count: number) => until(engine, `/tasks?filters={"service":["${name}"]}`, isUp(count))
const create = async (body: object, api = '1.47') => {
  const answer = await call('POST', `/v${api}/services/create`, body)
  expect([answer.status, answer.body]).toEqual([201, expect.anything()])
}
const many = (host: string) => `for i in $(seq 40); do wget -qO- http://${host}/; done | sort | uniq -c | wc -l`

beforeAll(async () => {
  if (!hasEtcd) return
  engine = await startWholeEngine()
  await beginSwarm(engine, { DefaultAddrPool: ['10.77.0.0/16'], SubnetSize: 24 })
}, 120_000)
afterAll(async () => {
  await engine?.call('POST', '/swarm/leave?force=1')
  await engine?.stop()
}, 60_000)

describe.skipIf(!hasEtcd)('networks of a swarm', { timeout: 150_000 }, () => {
  it('ENG-457 ENG-458 ENG-667 ENG-668 take their subnets from the swarm, and tell their peers from 1.25 on', async () => {
    const { status, body } = await call('POST', '/networks/create', { Name: 'inner', Driver: 'overlay' })
    expect(status).toBe(201)
    expect(await get('/networks/inner')).toMatchObject({
      ...{ Id: body.Id, Scope: 'swarm', Driver: 'overlay', Ingress: false },
      IPAM: { Config: [{ Subnet: '10.77.1.0/24', Gateway: '10.77.1.1' }] },
      Peers: [{ Name: (await get('/nodes/self')).ID, IP: '127.0.0.1' }],
    })
    const told = await inAllVersions(engine, '/networks/inner', around('1.25'))
    expect(spans(told, ['Peers.0.Name', 'Peers.0.IP'])).toEqual({ 'Peers.0.Name': '1.25+', 'Peers.0.IP': '1.25+' })
    const names = async (scope: string) =>
      (await get(`/networks?filters={"scope":["${scope}"]}`)).map(({ Name }: Answer['body']) => Name)
    expect((await names('swarm')).sort()).toEqual(['ingress', 'inner'])
    expect(await names('local')).not.toContain('inner')
    expect((await call('GET', '/networks/inner?scope=local')).status).toBe(404)
    await call('POST', '/networks/create', { Name: 'brief', Driver: 'overlay' })
    expect((await call('DELETE', '/networks/brief')).status).toBe(204)
    const removed = { Type: 'network', Action: 'remove', scope: 'swarm' }
    const events = async (api: string, query = '') => {
      const { body: lines } = await engine.client.call(
        'GET',
        `/v${api}/events?since=1&until=${Date.now() / 1000}${query}`,
      )
      return lines
        .toString()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    }
    const ofSwarm = await events('1.30', '&filters={"scope":["swarm"]}')
    expect(ofSwarm).toContainEqual(expect.objectContaining(removed))
    expect(ofSwarm.every(({ scope }: Answer['body']) => scope === 'swarm')).toBe(true)
    expect((await events('1.29')).filter(({ Action }: Answer['body']) => Action === 'remove')).toEqual([])
  })

  it('ENG-446 ENG-447 have one that takes requests, from 1.29 on, and it may be removed', async () => {
    const ingress = (api: string, Name: string) =>
      call('POST', `/v${api}/networks/create`, { Name, Driver: 'overlay', Ingress: true })
    expect(await get('/networks/ingress')).toMatchObject({
      ...{ Ingress: true, Scope: 'swarm', Driver: 'overlay' },
      IPAM: { Config: [{ Subnet: '10.77.0.0/24' }] },
    })
    const published = service('front', {}, { EndpointSpec: { Ports: [{ TargetPort: 80, PublishedPort: 8099 }] } })
    await create(published)
    const used = await call('DELETE', '/networks/ingress')
    expect([used.status, used.body.message]).toEqual([403, 'network ingress is in use by service front'])
    await call('DELETE', '/services/front')
    expect((await call('DELETE', '/networks/ingress')).status).toBe(204)
    const refused = await call('POST', '/services/create', published)
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('needs ingress network')])
    expect((await ingress('1.29', 'front')).status).toBe(201)
    expect((await get('/networks/front')).Ingress).toBe(true)
    expect((await ingress('1.47', 'second')).body.message).toBe('Ingress network is already present')
    expect((await ingress('1.28', 'second')).status).toBe(201)
    expect((await get('/networks/second')).Ingress).toBe(false)
    for (const name of ['front', 'second']) expect((await call('DELETE', `/v1.29/networks/${name}`)).status).toBe(204)
    expect((await ingress('1.29', 'ingress')).status).toBe(201)
  })

  it('ENG-515 ENG-516 ENG-582 have tasks of services on them, which may name them beside the task as well', async () => {
    const { Id } = await get('/networks/inner')
    const sleeping = { Args: ['sleep', '3600'] }
    await create(service('below', sleeping, {}, { Networks: [{ Target: 'inner', Aliases: ['b'] }] }))
    await create(service('beside', sleeping, { Networks: [{ Target: 'inner' }] }))
    for (const name of ['below', 'beside']) {
      const [task] = await running(name, 1)
      expect((await get(`/services/${name}`)).Spec.TaskTemplate.Networks).toMatchObject([{ Target: Id }])
      const { NetworkSettings } = await get(`/containers/${task.Status.ContainerStatus.ContainerID}/json`)
      expect(NetworkSettings.Networks.inner.IPAddress).toMatch(/^10\.77\.1\./)
    }
    const { Version, Spec } = await get('/services/beside')
    const { Networks: _, ...TaskTemplate } = Spec.TaskTemplate
    const moved = { ...Spec, TaskTemplate, Networks: [{ Target: 'inner', Aliases: ['moved'] }] }
    expect((await call('POST', `/services/beside/update?version=${Version.Index}`, moved)).status).toBe(200)
    expect((await get('/services/beside')).Spec.TaskTemplate.Networks).toEqual([{ Target: Id, Aliases: ['moved'] }])
    const used = await call('DELETE', '/networks/inner')
    expect([used.status, used.body.message]).toEqual([403, expect.stringMatching(/in use|active endpoints/)])
    await call('POST', '/networks/create', { Name: 'here' })
    const wrong = await call('POST', '/services/create', service('x', {}, {}, { Networks: [{ Target: 'here' }] }))
    expect([wrong.status, wrong.body.message]).toEqual([
      403,
      expect.stringContaining('Only networks scoped to the swarm'),
    ])
    for (const name of ['below', 'beside']) await call('DELETE', `/services/${name}`)
  })

  it('lead by the name of a service to an address that stands for its tasks, or to the tasks themselves', async () => {
    const Networks = [{ Target: 'inner', Aliases: ['web'] }]
    const two = { Mode: { Replicated: { Replicas: 2 } } }
    await create(service('site', { Args: answering }, two, { Networks }))
    await create(
      service(
        'rr',
        { Args: answering },
        { ...two, EndpointSpec: { Mode: 'dnsrr' } },
        { Networks: [{ Target: 'inner' }] },
      ),
    )
    await create(service('asking', { Args: ['sleep', '3600'] }, {}, { Networks: [{ Target: 'inner' }] }))
    await Promise.all([running('site', 2), running('rr', 2)])
    const [asking] = await running('asking', 1)
    const inside = async (script: string) =>
      (await engine.inside(asking.Status.ContainerStatus.ContainerID, script)).trim()
    const { Endpoint } = await until(engine, '/services/site', (body) => body.Endpoint.VirtualIPs !== undefined)
    const [address] = Endpoint.VirtualIPs[0].Addr.split('/')
    const looked = async (name: string) =>
      (await inside(`nslookup ${name} | tail -n +3 | grep -oE '10\\.77\\.1\\.[0-9]+' | sort -u`)).split('\n')
    for (const name of ['site', 'web', 'site.inner']) expect(await looked(name), name).toEqual([address])
    const tasks = await looked('tasks.site')
    expect([tasks.length, tasks.includes(address)]).toEqual([2, false])
    expect((await looked('rr')).length).toBe(2)
    expect(await inside(many('site'))).toBe('2')
    const { Services } = await get('/networks/inner?verbose=true')
    expect(Services.site).toMatchObject({
      VIP: address,
      Tasks: [{ EndpointIP: tasks[0] }, { EndpointIP: tasks[1] }].map(() => expect.anything()),
    })
    const [task] = await get('/tasks?filters={"service":["site"]}')
    await call('POST', `/containers/${task.Status.ContainerStatus.ContainerID}/kill`)
    expect(await inside(many('site'))).toMatch(/^[12]$/)
    for (const name of ['site', 'rr', 'asking']) await call('DELETE', `/services/${name}`)
    await until(engine, '/tasks', (all) => all.length === 0)
  })

  it('ENG-553 share out published ports among the tasks, and have SCTP from 1.37 on', async () => {
    const Ports = [
      { TargetPort: 80, PublishedPort: 8088 },
      { TargetPort: 81, Protocol: 'sctp', PublishedPort: 8089 },
    ]
    const body = service(
      'shared',
      { Args: answering },
      { Mode: { Replicated: { Replicas: 3 } }, EndpointSpec: { Ports } },
    )
    await create(body, '1.36')
    expect((await get('/services/shared')).Endpoint.Ports).toHaveLength(1)
    const { Version } = await get('/services/shared')
    expect((await call('POST', `/v1.37/services/shared/update?version=${Version.Index}`, body)).status).toBe(200)
    expect((await get('/services/shared')).Endpoint.Ports).toMatchObject([
      { PublishedPort: 8088 },
      { Protocol: 'sctp' },
    ])
    await running('shared', 3)
    const script = many('127.0.0.1:8088').replaceAll('wget -qO-', 'curl -s')
    expect((await engine.host.run('sh', ['-c', script])).stdout.trim()).toBe('3')
    const taken = await call('POST', '/services/create', service('late', {}, { EndpointSpec: { Ports } }))
    expect([taken.status, taken.body.message]).toEqual([
      400,
      expect.stringContaining("port '8088' is already in use by service 'shared'"),
    ])
    await create(service('any', { Args: answering }, { EndpointSpec: { Ports: [{ TargetPort: 80 }] } }))
    expect((await get('/services/any')).Endpoint.Ports[0].PublishedPort).toBe(30_000)
    const host = [{ TargetPort: 80, PublishedPort: 8090, PublishMode: 'host' }]
    await create(service('direct', { Args: answering }, { EndpointSpec: { Ports: host } }))
    const [task] = await running('direct', 1)
    expect(task.Status.PortStatus.Ports).toMatchObject([{ PublishedPort: 8090 }])
    expect((await engine.host.run('curl', ['-s', 'http://127.0.0.1:8090/'])).stdout).not.toBe('')
    for (const name of ['shared', 'any', 'direct']) await call('DELETE', `/services/${name}`)
    await until(engine, '/tasks', (all) => all.length === 0)
    expect((await engine.host.run('curl', ['-s', 'http://127.0.0.1:8088/'])).code).not.toBe(0)
  })

  it('are removed once the tasks of a service that is gone have left them', async () => {
    await call('POST', '/networks/create', { Name: 'brief', Driver: 'overlay' })
    const slow = { Args: ['sleep', '3600'], StopGracePeriod: 1e9 }
    await create(service('slow', slow, {}, { Networks: [{ Target: 'brief' }] }))
    await running('slow', 1)
    expect((await call('DELETE', '/services/slow')).status).toBe(200)
    expect((await call('DELETE', '/networks/brief')).status).toBe(204)
    expect((await call('GET', '/networks/brief')).status).toBe(404)
    await until(engine, '/tasks', (all) => all.length === 0)
  })

  it('ENG-609 ENG-610 take containers by hand only when they are attachable, and tell of them among the tasks from 1.38 on', async () => {
    const container = (name: string, network: string) =>
      call('POST', `/containers/create?name=${name}`, {
        Image: 'busybox',
        Cmd: ['sleep', '99'],
        HostConfig: { NetworkMode: network },
      })
    const refused = await container('closed', 'inner')
    expect(refused.body.message).toContain('not manually attachable')
    await call('POST', '/networks/create', { Name: 'open', Driver: 'overlay', Attachable: true })
    const { body } = await container('guest', 'open')
    expect((await call('POST', `/containers/${body.Id}/start`)).status).toBe(204)
    const [task] = await until(engine, '/tasks', (all) => all.length === 1)
    expect(task.Spec.NetworkAttachmentSpec).toEqual({ ContainerID: body.Id })
    const told = async (api: string) => [
      (await get(`/v${api}/tasks`))[0].Spec.NetworkAttachmentSpec,
      (await get(`/v${api}/tasks/${task.ID}`)).Spec.NetworkAttachmentSpec,
    ]
    expect(await told('1.38')).toEqual([{ ContainerID: body.Id }, { ContainerID: body.Id }])
    expect(await told('1.37')).toEqual([undefined, undefined])
    await call('DELETE', `/containers/${body.Id}?force=1`)
    await until(engine, '/tasks', (all) => all.length === 0)
  })
})
