// What a container was created with is what it finds on its networks: seen from within, with real bridges.
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
const inside = (name: string, script: string) => engine.inside(name, script)
const create = (version: string, name: string, body: object) =>
  engine.call('POST', `/v${version}/containers/create?name=${name}`, { Image: 'busybox', Cmd: ['sleep', '9'], ...body })
const inspect = async (version: string, name: string) =>
  (await engine.call('GET', `/v${version}/containers/${name}/json`)).body

/** On `front` first, with settings of endpoints by network. */
const on = (EndpointsConfig: Record<string, object>, HostConfig: object = {}) => ({
  HostConfig: { NetworkMode: 'front', ...HostConfig },
  NetworkingConfig: { EndpointsConfig },
})

const versions = Array.from({ length: 30 }, (_, index) => `1.${index + 18}`)
const versionsSince = (minor: number) => versions.filter((version) => Number(version.slice(2)) >= minor)

beforeAll(async () => {
  engine = await startWholeEngine()
  const networks = [
    { Name: 'front', EnableIPv6: true, IPAM: { Config: [{ Subnet: '10.77.0.0/24' }, { Subnet: 'fd00:77::/64' }] } },
    { Name: 'back', IPAM: { Config: [{ Subnet: '10.78.0.0/24' }] } },
  ]
  for (const network of networks) expect((await engine.call('POST', '/networks/create', network)).status).toBe(201)
})
afterAll(() => engine?.stop())

describe('a new container', () => {
  it('ENG-113 ENG-116 ENG-117 is on all networks it names from 1.44 on, each with its own MAC address', async () => {
    const front = '02:00:00:00:01:01'
    const back = '02:00:00:00:01:02'
    const both = on({ front: { MacAddress: front }, back: { MacAddress: back } })
    const id = await engine.run('1.44', 'double', both)
    const shown = await inside('double', 'for i in eth0 eth1; do ip addr show $i; done')
    expect(shown).toMatch(
      new RegExp(`eth0.*${front}.*10\\.77\\.0\\.\\d+/24.*eth1.*${back}.*10\\.78\\.0\\.\\d+/24`, 's'),
    )
    for (const [name, MacAddress] of [
      ['front', front],
      ['back', back],
    ] as const) {
      const { Containers } = (await engine.call('GET', `/networks/${name}`)).body
      expect(Containers[id]).toMatchObject({ Name: 'double', MacAddress })
      expect((await inspect('1.44', id)).NetworkSettings.Networks[name].MacAddress).toBe(MacAddress)
    }
    const refused = await create('1.43', 'never', both)
    expect(refused).toEqual({
      status: 400,
      body: { message: 'Container cannot be created with multiple network endpoints: front, back' },
    })
    await engine.run('1.43', 'older', on({ front: { MacAddress: front } }))
    expect(await inside('older', 'cat /sys/class/net/eth0/address')).not.toContain(front)
  })

  it('ENG-191 ENG-192 has the IPv4 and the IPv6 address it asks for from 1.22 on, and is reached by them', async () => {
    const asked = on({ front: { IPAMConfig: { IPv4Address: '10.77.0.42', IPv6Address: 'fd00:77::42' } } })
    await engine.run('1.21', 'chosen-for-it', asked)
    expect(await inside('chosen-for-it', 'ip addr show eth0')).not.toMatch(/10\.77\.0\.42|fd00:77::42/)
    await engine.run('1.22', 'still', asked)
    const shown = await inside('still', 'ip addr show eth0')
    expect(shown).toContain('10.77.0.42/24')
    expect(shown).toContain('fd00:77::42/64')
    for (const address of ['10.77.0.42', 'fd00:77::42']) {
      expect((await engine.host.run('busybox', ['ping', '-c', '1', '-W', '5', address])).code, address).toBe(0)
    }
    const taken = await create('1.47', 'thief', asked)
    const start = await engine.call('POST', `/containers/${taken.body.Id}/start`)
    expect(start).toEqual({ status: 403, body: { message: 'Address already in use' } })
  })

  it('ENG-101 ENG-102 ENG-103 has kernel settings on the interface of one network, from 1.46 on', async () => {
    const settings = 'net.ipv4.config.IFNAME.log_martians=1,net.ipv4.conf.IFNAME.medium_id=7'
    const asked = on({ front: {}, back: { DriverOpts: { 'com.docker.network.endpoint.sysctls': settings } } })
    const values = (name: string) =>
      inside(name, 'cd /proc/sys/net/ipv4/conf; cat eth0/log_martians eth1/log_martians eth0/medium_id eth1/medium_id')
    await engine.run('1.46', 'tuned', asked)
    expect(await values('tuned')).toBe('0\n1\n0\n7\n')
    await engine.run('1.45', 'untuned', asked)
    expect(await values('untuned')).toBe('0\n0\n0\n0\n')
  })

  it('ENG-104 cannot name an interface in kernel settings of an endpoint', async () => {
    const sysctls = 'net.ipv4.conf.eth0.log_martians=1'
    const asked = on({ front: { DriverOpts: { 'com.docker.network.endpoint.sysctls': sysctls } } })
    expect(await create('1.46', 'wrong', asked)).toEqual({
      status: 400,
      body: { message: `invalid endpoint sysctl '${sysctls}': the interface must be written IFNAME, not eth0` },
    })
  })

  it('ENG-114 ENG-168 ENG-204 is refused with 400 when created, in every version, where its network cannot be', async () => {
    const wrong = [
      ...versions.map((version) => [version, { MacAddress: 'nonsense' }, 'invalid MAC address: nonsense']),
      ...versionsSince(22).flatMap((version) => [
        [version, on({ front: { IPAMConfig: { IPv4Address: '10.77.0.300' } } }), 'invalid IPv4 address: 10.77.0.300'],
        [version, on({ front: { IPAMConfig: { IPv6Address: 'fd00::g' } } }), 'invalid IPv6 address: fd00::g'],
        [
          version,
          on({ front: { IPAMConfig: { IPv4Address: '10.99.0.1' } } }),
          'no configured subnet contains IP address 10.99.0.1',
        ],
      ]),
    ] as [string, object, string][]
    for (const [version, asked, words] of wrong) {
      const { status, body } = await create(version, 'refused', asked)
      expect([status, (body.message ?? body).trim()], version).toEqual([400, words])
    }
    expect((await engine.call('GET', '/containers/refused/json')).status).toBe(404)
  })

  it('ENG-195 asks with its own resolver options from 1.21 on', async () => {
    const asked = on({ front: {} }, { DnsOptions: ['use-vc', 'ndots:3'], DnsSearch: ['.'] })
    await engine.run('1.21', 'asking', asked)
    expect(await inside('asking', 'grep ^options /etc/resolv.conf')).toBe('options use-vc ndots:3\n')
    await engine.run('1.20', 'plain', asked)
    expect(await inside('plain', 'cat /etc/resolv.conf')).not.toContain('use-vc')
  })

  it('ENG-211 ENG-212 is found by its aliases, and tells just those from 1.45 on', async () => {
    const id = await engine.run('1.47', 'named', on({ front: { Aliases: ['web', 'shop'] } }))
    const aliases = async (version: string) => (await inspect(version, 'named')).NetworkSettings.Networks.front.Aliases
    expect(await aliases('1.45')).toEqual(['web', 'shop'])
    expect(await aliases('1.44')).toEqual(['web', 'shop', id.slice(0, 12)])
    const { IPAddress } = (await inspect('1.47', 'named')).NetworkSettings.Networks.front
    for (const name of ['web', 'shop', id.slice(0, 12)]) {
      expect(await inside('asking', `nslookup -type=a ${name}`)).toContain(`Address: ${IPAddress}`)
    }
  })
})

/** Waits for a packet of SCTP, and says the port it came for; the kernel need not know SCTP for that. */
const receiver =
  'use Socket; socket(S, PF_INET, SOCK_RAW, 132) or die; $| = 1; print "ready\\n"; recv(S, $p, 2048, 0); print unpack("n", substr($p, (ord($p) & 15) * 4 + 2, 2)), "\\n"'
/** Sends the first packet of a new association. */
const sender =
  'use Socket; socket(S, PF_INET, SOCK_RAW, 132) or die; my ($to, $port) = @ARGV; send(S, pack("nnNNCCnNNnnN", 1000, $port, 0, 0, 1, 0, 20, 1, 65535, 1, 1, 1), 0, sockaddr_in(0, inet_aton($to))) or die'

describe('a port of SCTP', () => {
  it('ENG-145 is exposed and published from 1.37 on, and what comes there reaches the container', async () => {
    const ports = { '9/sctp': [{ HostPort: '5354' }] }
    const asked = { ...on({}, { PortBindings: ports }), ExposedPorts: { '9/sctp': {} } }
    await engine.run('1.36', 'without', asked)
    expect((await inspect('1.36', 'without')).NetworkSettings.Ports).toEqual({})
    await engine.run('1.37', 'with', asked)
    const { State, NetworkSettings, Config } = await inspect('1.37', 'with')
    expect(Config.ExposedPorts).toEqual({ '9/sctp': {} })
    expect(NetworkSettings.Ports['9/sctp']).toContainEqual({ HostIp: '0.0.0.0', HostPort: '5354' })
    const within = [`--net=/proc/${State.Pid}/ns/net`, 'perl', '-e', receiver]
    const { child } = await engine.host.spawn('nsenter', within)
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe('ready')
    expect((await engine.host.run('perl', ['-e', sender, '10.77.0.1', '5354'])).code).toBe(0)
    expect((await lines.next()).value).toBe('9')
  })
})

describe('a running container that changes networks', () => {
  const change = async (how: 'connect' | 'disconnect', network: string, Container: string) =>
    expect((await engine.call('POST', `/networks/${network}/${how}`, { Container })).status).toBe(200)

  it('asks the name servers of the networks it is on', async () => {
    // With a name server of its own, and on the default network, nobody of ours is asked before.
    const own = { Dns: ['198.51.100.9'], DnsOptions: ['timeout:1'], DnsSearch: ['.'] }
    await engine.run('1.47', 'mover', { HostConfig: own })
    const resolver = () => inside('mover', 'cat /etc/resolv.conf')
    expect(await resolver()).toMatch(/^nameserver 198\.51\.100\.9\n/)
    await change('connect', 'front', 'mover')
    expect(await resolver()).toMatch(/^nameserver 10\.77\.0\.1\n[\s\S]*options timeout:1 ndots:0\n/)
    expect(await inside('mover', 'nslookup -type=a asking')).toMatch(/Name:\s+asking\nAddress: 10\.77\.0\.\d+\n/)
    await change('connect', 'back', 'mover')
    await change('disconnect', 'front', 'mover')
    expect(await resolver()).toMatch(/^nameserver 10\.78\.0\.1\n(?!nameserver)/)
    await change('disconnect', 'back', 'mover')
    expect(await resolver()).toMatch(/^nameserver 198\.51\.100\.9\n(?!nameserver)/)
  })

  it('finds itself by its addresses, and keeps what it wrote into its files', async () => {
    await engine.run('1.47', 'writer', { Hostname: 'writer', ...on({}) })
    await inside('writer', 'echo "10.0.0.1 mine" >> /etc/hosts; echo "nameserver 192.0.2.1" > /etc/resolv.conf')
    await change('connect', 'back', 'writer')
    const { front, back } = (await inspect('1.47', 'writer')).NetworkSettings.Networks
    const hosts = () => inside('writer', 'cat /etc/hosts')
    expect(await hosts()).toContain(`${front.IPAddress}\twriter\n`)
    expect(await hosts()).toContain(`10.0.0.1 mine\n${back.IPAddress}\twriter\n`)
    expect(await inside('writer', 'cat /etc/resolv.conf')).toBe('nameserver 192.0.2.1\n')
    await change('disconnect', 'front', 'writer')
    expect(await hosts()).not.toContain(front.IPAddress)
    expect(await hosts()).toContain('10.0.0.1 mine\n')
  })

  it('is put on a network once, also when two ask for it at the same time', async () => {
    await engine.run('1.47', 'wanted')
    const connect = () => engine.call('POST', '/networks/back/connect', { Container: 'wanted' })
    const statuses = (await Promise.all([connect(), connect()])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 403])
    expect(await inside('wanted', 'ls /sys/class/net')).toBe('eth0\neth1\nlo\n')
  })

  it("cannot be put on a network when it lives in another's", async () => {
    await engine.run('1.47', 'lodger', { HostConfig: { NetworkMode: 'container:wanted' } })
    const { status, body } = await engine.call('POST', '/networks/front/connect', { Container: 'lodger' })
    expect([status, body.message]).toEqual([403, expect.stringContaining('sharing network namespace')])
    expect(await inside('wanted', 'ls /sys/class/net')).toBe('eth0\neth1\nlo\n')
  })

  it('has a MAC address made for its new address when it starts again', async () => {
    await engine.run('1.47', 'first')
    await change('connect', 'back', 'first')
    const before = (await inspect('1.47', 'first')).NetworkSettings.Networks.back
    await engine.call('POST', '/containers/first/kill')
    await engine.run('1.47', 'second', { HostConfig: { NetworkMode: 'back' } })
    expect((await inspect('1.47', 'second')).NetworkSettings.Networks.back.IPAddress).toBe(before.IPAddress)
    await engine.call('POST', '/containers/first/start')
    const now = (await inspect('1.47', 'first')).NetworkSettings.Networks.back
    expect(now.IPAddress).not.toBe(before.IPAddress)
    expect(now.MacAddress).not.toBe(before.MacAddress)
  })
})
