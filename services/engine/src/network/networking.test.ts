// Containers on bridges, on an isolated host with the real kernel, ip and nft.
import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { briefly, endpoint, startMachine, type TestMachine, unreached } from './testing/start-machine.ts'

let test: TestMachine
let machine: TestMachine['machine']

const fetchFrom = (name: string, url: string) => test.fetch(name, url)

const newNetwork = async (settings: object) => {
  const { status } = await test.call('POST', '/networks/create', settings)
  expect(status).toBe(201)
}

beforeAll(async () => {
  test = await startMachine()
  ;({ machine } = test)
  await machine.startWorld()
  await machine.serve('world', test.folder)
  await machine.serveWhoAsks('world', 81)
})
afterAll(() => test.host.stop())

describe('containers on a network', () => {
  it('find one another by name, alias, short id, hostname and network, and by address', async () => {
    await newNetwork({ Name: 'names', EnableIPv6: true })
    const { endpoints } = await machine.runContainer('alpha', {
      hostname: 'alpha-host',
      endpoints: { names: endpoint({ Aliases: ['web'] }) },
    })
    await machine.runContainer('beta', { endpoints: { names: endpoint({ Links: ['alpha:db'] }) } })
    await machine.serve('alpha', test.folder)
    const { IPAddress: address, Gateway: gateway = '', GlobalIPv6Address: v6, DNSNames } = endpoints.names!
    const shortId = (await machine.idOf('alpha')).slice(0, 12)
    expect(DNSNames).toEqual(['alpha', 'web', shortId, 'alpha-host'])
    for (const name of ['alpha', 'WEB', shortId, 'alpha-host', 'alpha.names', 'db']) {
      const answer = await machine.inside('beta', 'busybox', 'nslookup', name, gateway)
      expect(answer, name).toContain(`Address: ${address}`)
      expect(answer, name).toContain(`Address: ${v6}`)
    }
    expect(await machine.inside('beta', 'busybox', 'nslookup', address!, gateway)).toContain('name = alpha.names')
    expect((await machine.askByTcp('beta', gateway, 'web')).trim()).toBe(address)
    // A link is its owner's alone.
    expect(await machine.inside('alpha', 'busybox', 'nslookup', 'db', gateway)).not.toContain(`Address: ${address}`)
    expect(await machine.resolvConf('beta')).toContain(`nameserver ${gateway}\n`)
    expect(await fetchFrom('beta', `http://${address}/`)).toBe('alpha')
    expect(await fetchFrom('beta', `http://[${v6}]/`)).toBe('alpha')
  })

  it('are found under a new name at once', async () => {
    const { names } = await machine.rename('alpha', 'gamma')
    expect(names?.DNSNames).toContain('gamma')
    const gateway = names?.Gateway ?? ''
    expect(await machine.inside('beta', 'busybox', 'nslookup', 'gamma', gateway)).toContain(names?.IPAddress)
    expect(await machine.inside('beta', 'busybox', 'nslookup', 'alpha', gateway)).not.toContain(names?.IPAddress)
    await machine.rename('gamma', 'alpha')
  })

  it('ask the name servers of the host, or their own, for other names', async () => {
    // The host's resolver, and another one for a container that was given it.
    const zone = (port: string, address: string) => `
      const s = require('dgram').createSocket('udp4')
      s.on('message', (m, f) => {
        const end = m.indexOf(0, 12) + 5
        const head = Buffer.from(m.subarray(0, end)); head[2] = 0x81; head[3] = 0x80; head[7] = 1; head[11] = 0
        s.send(Buffer.concat([head, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ${address.replaceAll('.', ',')}])]), f.port, f.address)
      })
      s.bind(53, '${port}', () => console.log('ready'))`
    for (const [at, address] of [
      ['127.0.0.53', '203.0.113.1'],
      ['198.51.100.1', '203.0.113.2'],
    ] as const) {
      const server = await test.host.spawn(process.execPath, ['-e', zone(at, address)])
      await new Promise((resolve) => server.child.stdout?.once('data', resolve))
    }
    mkdirSync(`${test.folder}/etc`, { recursive: true })
    writeFileSync(`${test.folder}/etc/resolv.conf`, 'nameserver 127.0.0.53\nsearch example.test\n')
    await machine.onHost('mount', '--bind', `${test.folder}/etc/resolv.conf`, '/etc/resolv.conf')
    const gateway = (await machine.endpointsOf('beta')).names?.Gateway ?? ''
    expect(await machine.inside('beta', 'busybox', 'nslookup', '-type=a', 'example.test', gateway)).toContain(
      '203.0.113.1',
    )
    expect(await machine.resolvConf('beta')).toBe(`nameserver ${gateway}\nsearch example.test\noptions ndots:0\n`)
    await machine.runContainer('delta', {
      endpoints: { names: endpoint() },
      dns: { servers: ['198.51.100.1'], search: ['own.test'], options: ['timeout:1'] },
    })
    expect(await machine.inside('delta', 'busybox', 'nslookup', '-type=a', 'example.test', gateway)).toContain(
      '203.0.113.2',
    )
    expect(await machine.resolvConf('delta')).toBe(
      `nameserver ${gateway}\nsearch own.test\noptions timeout:1 ndots:0\n`,
    )
    // Somebody who is on no network of ours is told nothing.
    expect(await machine.onHost('busybox', 'nslookup', 'beta', gateway)).toMatch(/REFUSED|refused/)
  })

  it('reach the world by the address of the host, and the world does not reach them', async () => {
    expect(await fetchFrom('beta', 'http://198.51.100.2:81/')).toBe('::ffff:198.51.100.1')
    expect(await fetchFrom('beta', 'http://[2001:db8::2]:81/')).toBe('2001:db8::1')
    const { IPAddress: address } = (await machine.endpointsOf('alpha')).names!
    expect(await test.fetch('world', `http://${address}/`, briefly)).toMatch(unreached)
  })

  it('do not leave an internal network, nor does anybody come in', async () => {
    await newNetwork({ Name: 'inner', Internal: true })
    const one = await machine.runContainer('inner-one', { endpoints: { inner: endpoint({ Aliases: ['one'] }) } })
    await machine.runContainer('inner-two', { endpoints: { inner: endpoint() } })
    await machine.serve('inner-one', test.folder)
    const { IPAddress: address, Gateway } = one.endpoints.inner!
    expect(Gateway).toBe('')
    expect(await fetchFrom('inner-two', `http://${address}/`)).toBe('inner-one')
    expect(await test.fetch('inner-two', 'http://198.51.100.2/', briefly)).toMatch(unreached)
    // Not even with a route; the world would know the way back.
    const gateway = address!.replace(/\d+$/, '1')
    await machine.inside('inner-two', 'ip', 'route', 'add', 'default', 'via', gateway)
    expect(await test.fetch('inner-two', 'http://198.51.100.2/', briefly)).toMatch(unreached)
    expect(await machine.inside('inner-two', 'busybox', 'nslookup', 'one', gateway)).toContain(address)
    expect(await machine.inside('inner-two', 'busybox', 'nslookup', 'example.test', gateway)).toContain('NXDOMAIN')
    expect(await test.fetch('alpha', `http://${address}/`, briefly)).toMatch(unreached)
  })

  it('are kept apart from other networks, and from the loopback of the host', async () => {
    await newNetwork({ Name: 'other' })
    await machine.runContainer('stranger', { endpoints: { other: endpoint() } })
    const { IPAddress: address } = (await machine.endpointsOf('alpha')).names!
    expect(await test.fetch('stranger', `http://${address}/`, briefly)).toMatch(unreached)
    const { Gateway: gateway = '' } = (await machine.endpointsOf('stranger')).other!
    expect(await machine.inside('stranger', 'busybox', 'nslookup', 'alpha', gateway)).not.toContain(address)
    await machine.inside('stranger', 'ip', 'route', 'add', '127.0.0.53/32', 'via', gateway)
    await machine.inside('stranger', 'sysctl', '-w', 'net.ipv4.conf.all.route_localnet=1')
    expect(
      await machine.inside('stranger', 'timeout', '1', 'busybox', 'nslookup', 'example.test', '127.0.0.53'),
    ).not.toContain('203.0.113')
  })

  it('do not speak to one another where the network says so', async () => {
    await newNetwork({ Name: 'silent', Options: { 'com.docker.network.bridge.enable_icc': 'false' } })
    const one = await machine.runContainer('silent-one', { endpoints: { silent: endpoint() } })
    await machine.runContainer('silent-two', { endpoints: { silent: endpoint() } })
    await machine.serve('silent-one', test.folder)
    expect(await test.fetch('silent-two', `http://${one.endpoints.silent?.IPAddress}/`, briefly)).toMatch(unreached)
    expect(await fetchFrom('silent-two', 'http://198.51.100.2/')).toBe('world')
  })
})

describe('an endpoint', () => {
  beforeAll(() =>
    newNetwork({
      Name: 'fixed',
      EnableIPv6: true,
      Options: { 'com.docker.network.driver.mtu': '1400', 'com.docker.network.bridge.name': 'fixed0' },
      IPAM: { Config: [{ Subnet: '10.20.0.0/24' }, { Subnet: '2001:db8:20::/64' }] },
    }),
  )

  it('has the addresses and the hardware address it asks for', async () => {
    const asked = {
      IPAMConfig: { IPv4Address: '10.20.0.77', IPv6Address: '2001:db8:20::77', LinkLocalIPs: ['169.254.34.68'] },
      MacAddress: '02:42:0a:14:00:99',
    }
    const { endpoints } = await machine.runContainer('still', { endpoints: { fixed: endpoint(asked as never) } })
    expect(endpoints.fixed).toMatchObject({
      IPAddress: '10.20.0.77',
      GlobalIPv6Address: '2001:db8:20::77',
      MacAddress: '02:42:0a:14:00:99',
      IPPrefixLen: 24,
      GlobalIPv6PrefixLen: 64,
    })
    const shown = await machine.inside('still', 'ip', 'addr', 'show', 'dev', 'eth0')
    for (const text of ['10.20.0.77/24', '2001:db8:20::77/64', '02:42:0a:14:00:99', 'mtu 1400', '169.254.34.68']) {
      expect(shown).toContain(text)
    }
    expect(await machine.onHost('ip', 'addr', 'show', 'dev', 'fixed0')).toContain('10.20.0.1/24')
    await expect(
      machine.runContainer('thief', {
        endpoints: { fixed: endpoint({ IPAMConfig: { IPv4Address: '10.20.0.77' } } as never) },
      }),
    ).rejects.toThrow('Address already in use')
    await machine.removeContainer('thief')
    await machine.stopContainer('still')
    // The address it was given is free again, the one it asks for is its own at the next start.
    const again = await machine.startContainer('still')
    expect(again.endpoints.fixed).toMatchObject({ IPAddress: '10.20.0.77', MacAddress: '02:42:0a:14:00:99' })
  })

  it('may be one of several, each with a hardware address of its own', async () => {
    const { endpoints } = await machine.runContainer('double', {
      endpoints: {
        fixed: endpoint({ MacAddress: '02:00:00:00:00:01' }),
        bridge: endpoint({ MacAddress: '02-00-00-00-00-02' }),
      },
    })
    expect(endpoints.fixed?.MacAddress).toBe('02:00:00:00:00:01')
    expect(await machine.inside('double', 'ip', '-br', 'link')).toMatch(
      /eth0.*02:00:00:00:00:01[\s\S]*eth1.*02:00:00:00:00:02/,
    )
  })

  it('sets kernel settings of its interface', async () => {
    const DriverOpts = {
      'com.docker.network.endpoint.sysctls':
        'net.ipv4.conf.IFNAME.log_martians=1,net.ipv4.config.IFNAME.forwarding=0,net.ipv6.conf.IFNAME.hop_limit=33',
    }
    await machine.runContainer('tuned', { endpoints: { fixed: endpoint({ DriverOpts }) } })
    const read = (path: string) => machine.inside('tuned', 'cat', `/proc/sys/net/${path}`)
    expect(await read('ipv4/conf/eth0/log_martians')).toBe('1\n')
    expect(await read('ipv4/conf/eth0/forwarding')).toBe('0\n')
    expect(await read('ipv6/conf/eth0/hop_limit')).toBe('33\n')
  })

  it('is refused with all that is wrong with it', async () => {
    const wrong = {
      IPAMConfig: { IPv4Address: '10.99.0.1', IPv6Address: 'nonsense' },
      MacAddress: '01:00:00:00:00:01',
      DriverOpts: { 'com.docker.network.endpoint.sysctls': 'net.ipv4.conf.eth0.log_martians=1,kernel.hostname=x' },
    }
    expect(
      await machine.check({
        fixed: endpoint(wrong as never),
        nowhere: endpoint(),
        bridge: endpoint({ Aliases: ['a'] }),
      }),
    ).toEqual([
      'invalid IPv6 address: nonsense',
      'no configured subnet contains IP address 10.99.0.1',
      "invalid endpoint sysctl 'net.ipv4.conf.eth0.log_martians=1': the interface must be written IFNAME, not eth0",
      "invalid endpoint sysctl 'kernel.hostname=x': expected net.<ipv4|ipv6>.conf.IFNAME.<key>=<value>",
      'invalid MAC address: 01:00:00:00:00:01',
      'network-scoped aliases are only supported for user-defined networks',
    ])
  })

  it('counts what passes', async () => {
    const { eth0, eth1 } = await machine.stats('double')
    expect(eth0?.rx_bytes).toBeGreaterThanOrEqual(0)
    expect(eth1).toBeDefined()
    expect(await machine.stats('tuned')).not.toHaveProperty('lo')
  })
})
