// The interface of networks, over its socket, on an isolated host.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoint, startMachine, type TestMachine } from '../../network/testing/start-machine.ts'

let test: TestMachine
let machine: TestMachine['machine']

beforeAll(async () => {
  test = await startMachine()
  ;({ machine } = test)
})
afterAll(() => test.host.stop())

const create = (settings: object) => test.call('POST', '/networks/create', settings)
const names = async (filters: object, version = '') => {
  const query = encodeURIComponent(JSON.stringify(filters))
  const { status, body } = await test.call('GET', `${version}/networks?filters=${query}`)
  expect(status).toBe(200)
  return body.map(({ Name }: { Name: string }) => Name).sort()
}
const events = async () => {
  const all = await machine.pastEvents()
  return all.map(({ Type, Action, Actor }) => `${Type} ${Action} ${Actor.Attributes.name ?? ''}`)
}

describe('creating a network', () => {
  it('shows it as it was asked for', async () => {
    const { status, body } = await create({
      Name: 'full',
      Driver: 'bridge',
      Internal: true,
      Attachable: true,
      EnableIPv6: true,
      IPAM: {
        Driver: 'default',
        Options: { foo: 'bar' },
        Config: [
          {
            Subnet: '10.77.0.0/16',
            IPRange: '10.77.5.0/24',
            Gateway: '10.77.5.254',
            AuxiliaryAddresses: { r: '10.77.5.0' },
          },
          { Subnet: '2001:db8:77::/64' },
        ],
      },
      Options: { 'com.docker.network.driver.mtu': '1400' },
      Labels: { color: 'blue' },
    })
    expect(status).toBe(201)
    expect(body).toEqual({ Id: expect.any(String), Warning: '' })
    const { body: network } = await test.call('GET', '/networks/full')
    expect(network).toEqual({
      Name: 'full',
      Id: body.Id,
      Created: expect.any(String),
      Scope: 'local',
      Driver: 'bridge',
      EnableIPv4: true,
      EnableIPv6: true,
      IPAM: {
        Driver: 'default',
        Options: { foo: 'bar' },
        Config: [
          {
            Subnet: '10.77.0.0/16',
            IPRange: '10.77.5.0/24',
            Gateway: '10.77.5.254',
            AuxiliaryAddresses: { r: '10.77.5.0' },
          },
          { Subnet: '2001:db8:77::/64', Gateway: '2001:db8:77::1' },
        ],
      },
      Internal: true,
      Attachable: true,
      Ingress: false,
      ConfigFrom: { Network: '' },
      ConfigOnly: false,
      Containers: {},
      Options: { 'com.docker.network.driver.mtu': '1400' },
      Labels: { color: 'blue' },
    })
    const { endpoints } = await machine.runContainer('ranged', { endpoints: { full: endpoint() } })
    expect(endpoints.full?.IPAddress).toBe('10.77.5.1')
    await machine.removeContainer('ranged')
  })

  it('tells all that is wrong with its addresses and options', async () => {
    const { status, body } = await create({
      Name: 'wrong',
      EnableIPv4: false,
      IPAM: {
        Driver: 'dhcp',
        Config: [
          { Subnet: '10.1.2.3/16', IPRange: '10.0.0.0/8', Gateway: '10.2.0.1' },
          { Subnet: 'nonsense' },
          { Subnet: '2001:db8::/64' },
          { Gateway: '10.9.0.1' },
        ],
      },
      Options: {
        'com.docker.network.driver.mtu': 'big',
        'com.docker.network.bridge.unheard_of': '1',
        'org.example': 'x',
      },
    })
    expect(status).toBe(400)
    expect(body.message.split('\n')).toEqual([
      'invalid network config:',
      "invalid value for option com.docker.network.driver.mtu: 'big' (expected a number from 68 to 65535)",
      'option com.docker.network.bridge.unheard_of is not supported',
      'invalid subnet 10.1.2.3/16: it should be 10.1.0.0/16',
      'invalid ip-range 10.0.0.0/8: CIDR block is bigger than its parent subnet 10.1.0.0/16',
      "invalid gateway 10.2.0.1: parent subnet 10.1.0.0/16 doesn't contain this address",
      'invalid subnet nonsense: invalid CIDR block notation',
      'invalid subnet: a gateway, ip-range or auxiliary address needs the subnet it belongs to',
      'IPAM driver dhcp is not supported',
      'IPv4 cannot be disabled on a bridge network',
    ])
    expect((await test.call('GET', '/networks/wrong')).status).toBe(404)
  })

  it('refuses a name in use, whatever CheckDuplicate says', async () => {
    for (const CheckDuplicate of [true, false, undefined]) {
      const { status, body } = await create({ Name: 'full', CheckDuplicate })
      expect(status).toBe(409)
      expect(body.message).toBe('network with name full already exists')
    }
    const many = await Promise.all(Array.from({ length: 5 }, () => create({ Name: 'race' })))
    expect(many.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  })

  it('refuses what cannot be, in words', async () => {
    const refusals: [object, number, string][] = [
      [{ Name: '' }, 400, 'name is empty'],
      [{ Name: 'a/b' }, 400, 'invalid network name'],
      [{ Name: 'bridge' }, 403, 'operation is not permitted on predefined bridge network'],
      [{ Name: 'i', Ingress: true }, 400, 'an ingress network can only be created with the overlay driver'],
      [{ Name: 'o', Driver: 'overlay', Ingress: true }, 403, 'This node is not a swarm manager'],
      [{ Name: 's', Scope: 'swarm' }, 403, 'This node is not a swarm manager'],
      [{ Name: 'h', Driver: 'host' }, 403, 'only one instance of "host" network is allowed'],
      [{ Name: 'm', Driver: 'weave' }, 404, 'plugin "weave" not found'],
      [{ Name: 'p', IPAM: { Config: [{ Subnet: '10.77.8.0/24' }] } }, 403, 'Pool overlaps with other one'],
      [{ Name: 'l', Options: { 'com.docker.network.bridge.name': 'lo' } }, 409, 'lo exists already on this host'],
      [{ Name: 'b', Options: { 'com.docker.network.bridge.name': 'atoll0' } }, 403, 'has the same bridge name'],
    ]
    for (const [settings, status, words] of refusals) {
      const answer = await create(settings)
      expect(answer.status, words).toBe(status)
      expect(answer.body.message).toContain(words)
    }
    expect(await names({ type: ['custom'] })).toEqual(['full', 'race'])
  })

  it('takes its settings from a configuration network', async () => {
    await create({
      Name: 'config',
      ConfigOnly: true,
      Labels: { from: 'config' },
      IPAM: { Config: [{ Subnet: '10.88.0.0/24' }] },
    })
    expect((await create({ Name: 'derived', ConfigFrom: { Network: 'config' } })).status).toBe(201)
    const { body } = await test.call('GET', '/networks/derived')
    expect(body).toMatchObject({ ConfigFrom: { Network: 'config' }, Labels: { from: 'config' } })
    expect(body.IPAM.Config).toEqual([{ Subnet: '10.88.0.0/24', Gateway: '10.88.0.1' }])
    expect((await test.call('DELETE', '/networks/config')).status).toBe(403)
    expect((await create({ Name: 'x', ConfigFrom: { Network: 'config' }, Internal: true })).status).toBe(403)
    for (const name of ['derived', 'config']) expect((await test.call('DELETE', `/networks/${name}`)).status).toBe(204)
  })

  it('takes subnets that touch no route of the host', async () => {
    await machine.onHost('ip', 'route', 'add', 'blackhole', '172.19.0.0/16')
    await create({ Name: 'around' })
    const { body } = await test.call('GET', '/networks/around')
    expect(body.IPAM.Config).toEqual([{ Subnet: '172.20.0.0/16', Gateway: '172.20.0.1' }])
  })
})

describe('listing and inspecting networks', () => {
  it('filters them', async () => {
    await machine.runContainer('user', { endpoints: { race: endpoint() } })
    expect(await names({ name: ['ul'] })).toEqual(['full'])
    const { body } = await test.call('GET', '/networks/full')
    expect(await names({ id: [body.Id.slice(0, 20)] })).toEqual(['full'])
    expect(await names({ label: ['color'] })).toEqual(['full'])
    expect(await names({ label: { 'color=red': true } })).toEqual([])
    expect(await names({ driver: ['null', 'host'] })).toEqual(['host', 'none'])
    expect(await names({ type: ['builtin'] })).toEqual(['bridge', 'host', 'none'])
    expect(await names({ scope: ['swarm'] })).toEqual([])
    expect(await names({ scope: ['local'], name: ['race'] })).toEqual(['race'])
    for (const yes of ['true', '1']) expect(await names({ dangling: [yes] })).toEqual(['around', 'full'])
    for (const no of ['false', '0']) expect(await names({ dangling: [no] })).toEqual(['bridge', 'host', 'none', 'race'])
    for (const bad of [{ unknown: ['x'] }, { type: ['x'] }, { dangling: ['maybe'] }, { scope: ['moon'] }]) {
      const { status } = await test.call('GET', `/networks?filters=${encodeURIComponent(JSON.stringify(bad))}`)
      expect(status).toBe(400)
    }
  })
})

describe('connecting and disconnecting', () => {
  it('puts a running container on a network, as asked', async () => {
    const EndpointConfig = {
      IPAMConfig: { IPv4Address: '10.77.5.9', IPv6Address: '2001:db8:77::9' },
      MacAddress: '02:00:00:00:77:09',
      Aliases: ['nine'],
      DriverOpts: {
        'com.docker.network.endpoint.sysctls': 'net.ipv4.conf.IFNAME.log_martians=1,net.ipv4.conf.IFNAME.arp_notify=1',
      },
    }
    expect(await test.call('POST', '/networks/full/connect', { Container: 'user', EndpointConfig })).toMatchObject({
      status: 200,
    })
    const shown = await machine.inside('user', 'ip', 'addr', 'show', 'dev', 'eth1')
    for (const text of ['10.77.5.9/16', '2001:db8:77::9/64', '02:00:00:00:77:09']) expect(shown).toContain(text)
    for (const key of ['log_martians', 'arp_notify']) {
      expect(await machine.inside('user', 'cat', `/proc/sys/net/ipv4/conf/eth1/${key}`)).toBe('1\n')
    }
    expect((await machine.endpointsOf('user')).full).toMatchObject({ IPAddress: '10.77.5.9', Aliases: ['nine'] })
    const again = await test.call('POST', '/networks/full/connect', { Container: 'user' })
    expect([again.status, again.body.message]).toEqual([403, 'endpoint with name user already exists in network full'])
    expect((await test.call('DELETE', '/networks/full')).status).toBe(403)
  })

  it('tells all that is wrong at once, also for a container that does not run', async () => {
    await machine.create('sleeper', { endpoints: {} })
    const DriverOpts = { 'com.docker.network.endpoint.sysctls': 'net.ipv4.conf.eth0.log_martians=1' }
    const EndpointConfig = { IPAMConfig: { IPv4Address: '192.0.2.1', IPv6Address: 'x' }, MacAddress: 'y', DriverOpts }
    const { status, body } = await test.call('POST', '/networks/full/connect', { Container: 'sleeper', EndpointConfig })
    expect(status).toBe(400)
    expect(body.message.split('\n')).toEqual([
      'invalid endpoint settings for network full:',
      'invalid IPv6 address: x',
      'no configured subnet contains IP address 192.0.2.1',
      "invalid endpoint sysctl 'net.ipv4.conf.eth0.log_martians=1': the interface must be written IFNAME, not eth0",
      'invalid MAC address: y',
    ])
    expect((await test.call('POST', '/networks/full/connect', { Container: 'nobody' })).status).toBe(404)
    expect((await test.call('POST', '/networks/nowhere/connect', { Container: 'user' })).status).toBe(404)
    expect((await test.call('POST', '/networks/host/connect', { Container: 'sleeper' })).status).toBe(403)
    expect((await test.call('POST', '/networks/around/connect', { Container: 'sleeper' })).status).toBe(200)
    const started = await machine.startContainer('sleeper')
    expect(started.endpoints.around?.IPAddress).toBe('172.20.0.2')
  })

  it('takes a container off, by force where it is lost', async () => {
    expect((await test.call('POST', '/networks/full/disconnect', { Container: 'user', Force: true })).status).toBe(200)
    expect(await machine.inside('user', 'ip', '-br', 'link')).not.toContain('eth1')
    const again = await test.call('POST', '/networks/full/disconnect', { Container: 'user' })
    expect([again.status, /is not connected to network full/.test(again.body.message)]).toEqual([403, true])
    expect((await test.call('POST', '/networks/bridge/disconnect', { Container: 'nobody', Force: true })).status).toBe(
      404,
    )
  })
})

describe('removing networks', () => {
  it('prunes those that nobody uses', async () => {
    const Labels = { kind: 'test', env: 'dev' }
    for (const [name, labels] of [
      ['keep', {}],
      ['old', Labels],
      ['dev', { env: 'dev' }],
    ] as const) {
      await create({ Name: name, Labels: labels })
    }
    const prune = async (filters: object) =>
      (await test.call('POST', `/networks/prune?filters=${encodeURIComponent(JSON.stringify(filters))}`)).body
    expect(await prune({ label: ['kind'], 'label!': ['env=dev'] })).toEqual({ NetworksDeleted: [] })
    expect(await prune({ until: ['1h'] })).toEqual({ NetworksDeleted: [] })
    expect(await prune({ label: ['kind'] })).toEqual({ NetworksDeleted: ['old'] })
    expect(await prune({ label: ['env=dev'] })).toEqual({ NetworksDeleted: ['dev'] })
    expect((await prune({ 'label!': ['color'] })).NetworksDeleted.sort()).toEqual(['keep'])
    expect(await prune({ 'label!': ['color=green'] })).toEqual({ NetworksDeleted: ['full'] })
    // In use, running or not.
    expect(await names({ type: ['custom'] })).toEqual(['around', 'race'])
    expect((await test.call('POST', '/networks/prune?filters=%7B%22x%22%3A%5B%22y%22%5D%7D')).status).toBe(400)
    expect((await test.call('POST', '/v1.24/networks/prune')).status).toBe(404)
  })

  it('tells of it: created, connected, disconnected, destroyed, pruned', async () => {
    const told = await events()
    for (const event of [
      'network create full',
      'network connect full',
      'network disconnect full',
      'network destroy full',
      'network prune ',
    ]) {
      expect(told).toContain(event)
    }
  })
})
