// Containers with addresses of their own on a link of the host. The link is one end of a wire here; a router is at the
// other end.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoint, startMachine, type TestMachine } from './testing/start-machine.ts'

let test: TestMachine
let machine: TestMachine['machine']

beforeAll(async () => {
  test = await startMachine()
  ;({ machine } = test)
  for (const line of [
    'link add lan type veth peer name router',
    'link set lan up',
    'addr add 10.99.0.1/24 dev router',
    'link set router up',
  ]) {
    expect(await machine.onHost('ip', ...line.split(' '))).toBe('')
  }
})
afterAll(() => test.host.stop())

const create = (settings: object) => test.call('POST', '/networks/create', settings)
const lan = { Driver: 'macvlan', IPAM: { Config: [{ Subnet: '10.99.0.0/24', Gateway: '10.99.0.1' }] } }
const ping = (from: string, address: string) =>
  machine.inside(from, 'busybox', 'ping', '-c', '1', '-W', '2', address).then((text) => !text.startsWith('failed'))

describe('a macvlan network', () => {
  it('puts containers on the link of the host, with a way out by its router', async () => {
    const { status, body } = await create({ Name: 'lan', ...lan, Options: { parent: 'lan' } })
    expect(status).toBe(201)
    const network = (await test.call('GET', `/networks/${body.Id}`)).body
    expect(network).toMatchObject({ Driver: 'macvlan', EnableIPv4: true, Options: { parent: 'lan' } })
    const portBindings = { '80/tcp': [{ HostPort: '8080' }] }
    const { endpoints, ports } = await machine.runContainer('one', { endpoints: { lan: endpoint() }, portBindings })
    expect(endpoints.lan).toMatchObject({ Gateway: '10.99.0.1', IPAddress: '10.99.0.2', IPPrefixLen: 24 })
    expect(ports).toEqual({})
    await machine.runContainer('two', {
      endpoints: {
        lan: endpoint({ IPAMConfig: { IPv4Address: '10.99.0.77' }, MacAddress: '02:42:00:00:00:77' } as never),
      },
    })
    expect(await machine.inside('two', 'ip', '-d', 'link', 'show', 'eth0')).toMatch(
      /02:42:00:00:00:77[\s\S]*macvlan mode bridge/,
    )
    expect(await machine.inside('one', 'ip', 'route')).toContain('default via 10.99.0.1 dev eth0')
    expect(await ping('one', '10.99.0.77')).toBe(true)
    expect(await ping('one', '10.99.0.1')).toBe(true)
    expect(await machine.resolvConf('one')).not.toContain('10.99.0.1')
  })

  it('is left and joined by running containers, and found again by the next engine', async () => {
    expect((await create({ Name: 'side' })).status).toBe(201)
    expect((await test.call('POST', '/networks/side/connect', { Container: 'one' })).status).toBe(200)
    await machine.crash()
    await machine.start(test.folder)
    expect((await test.call('POST', '/networks/lan/disconnect', { Container: 'one' })).status).toBe(200)
    expect(await machine.inside('one', 'ip', '-br', 'link')).not.toContain('eth0')
    expect(await machine.inside('one', 'ip', 'route')).toMatch(/default via 172\.\d+\.0\.1 dev eth1/)
    expect((await test.call('POST', '/networks/lan/connect', { Container: 'one' })).status).toBe(200)
    await expect.poll(() => ping('one', '10.99.0.77')).toBe(true)
    const { endpoints } = await machine.runContainer('three', { endpoints: { lan: endpoint() } })
    expect(endpoints.lan?.IPAddress).toBe('10.99.0.3')
  })

  it('without a link of the host is for its containers alone, and leaves nothing', async () => {
    const { body } = await create({ Name: 'inner', Driver: 'macvlan' })
    const parent = `dm-${body.Id.slice(0, 12)}`
    for (const name of ['left', 'right']) await machine.runContainer(name, { endpoints: { inner: endpoint() } })
    const { inner } = await machine.endpointsOf('right')
    expect(inner).toMatchObject({ Gateway: '' })
    expect(await ping('left', inner?.IPAddress ?? '')).toBe(true)
    expect(await machine.inside('left', 'ip', 'route')).not.toContain('default')
    for (const name of ['left', 'right']) await machine.removeContainer(name)
    expect(await machine.onHost('ip', '-br', 'link')).toContain(parent)
    expect((await test.call('DELETE', '/networks/inner')).status).toBe(204)
    expect(await machine.onHost('ip', '-br', 'link')).not.toContain(parent)
    expect(await machine.onHost('ip', '-br', 'link')).toContain('lan')
  })

  it.each([
    [{ macvlan_mode: 'odd' }, "requested macvlan mode 'odd' is not valid"],
    [{ parent: 'lo' }, 'loopback interface is not a valid macvlan parent link'],
    [{ parent: 'nosuch' }, 'invalid subinterface vlan name nosuch'],
    [{ parent: 'nosuch.7' }, '-o parent interface was not found on the host: nosuch'],
    [{ parent: 'lan.9999' }, 'vlan id must be between 1-4094'],
    [{ parent: 'x; reboot' }, 'invalid parent interface'],
    [{ parent: 'all' }, 'invalid subinterface vlan name all'],
    [{ parent: 'lan', macvlan_mode: 'passthru' }, 'already using parent interface lan'],
  ])('is refused with %o', async (Options, words) => {
    const { status, body } = await create({ Name: 'refused', Driver: 'macvlan', Options })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(body.message).toContain(words)
    expect((await test.call('GET', '/networks/refused')).status).toBe(404)
  })
})

describe('an ipvlan network', () => {
  it.each([
    [{ ipvlan_mode: 'l4' }, "requested ipvlan mode 'l4' is not valid"],
    [{ ipvlan_flag: 'odd' }, "requested ipvlan flag 'odd' is not valid"],
    [{ parent: 'lan' }, 'network lan is already using parent interface lan'],
  ])('is refused with %o', async (Options, words) => {
    const { status, body } = await create({ Name: 'refused', Driver: 'ipvlan', Options })
    expect(status).toBeLessThan(500)
    expect(body.message).toContain(words)
  })

  it.each(['l2', 'l3'])('puts containers on it in mode %s, or says that the kernel cannot', async (mode) => {
    const name = `ip-${mode}`
    const Options = { ipvlan_mode: mode }
    expect((await create({ Name: name, Driver: 'ipvlan', Options })).status).toBe(201)
    const hardware = { [name]: endpoint({ MacAddress: '02:42:00:00:00:78' }) }
    expect(await machine.check(hardware)).toEqual(['ipvlan interfaces do not support custom mac address assignment'])
    const canIpvlan = !(await machine.onHost('ip', 'link', 'add', 'probe', 'type', 'ipvlan')).includes('Unknown device')
    const [one, two] = [`${mode}-one`, `${mode}-two`]
    const started = machine.runContainer(one, { endpoints: { [name]: endpoint() } })
    if (!canIpvlan) {
      await expect(started).rejects.toThrow(/cannot set up the network: .*Unknown device type/)
      return
    }
    await started
    const { endpoints } = await machine.runContainer(two, { endpoints: { [name]: endpoint() } })
    expect(endpoints[name]).toMatchObject({ Gateway: '', MacAddress: '' })
    expect(await ping(one, endpoints[name]?.IPAddress ?? '')).toBe(true)
  })
})
