// Networks of a whole engine: made, read, joined, left and removed, in every version that has a say in it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inAllVersions, since, spanOf, spans } from '../../testing/by-version.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
})
afterAll(() => engine?.stop())

const create = (body: object, version = '1.47') => engine.call('POST', `/v${version}/networks/create`, body)
const get = async (path: string) => (await engine.call('GET', path)).body
const remove = (name: string) => engine.call('DELETE', `/networks/${name}`)
const filter = (filters: object) => `filters=${encodeURIComponent(JSON.stringify(filters))}`
const names = async (filters: object, version = '1.47'): Promise<string[]> =>
  (await get(`/v${version}/networks?${filter(filters)}`)).map(({ Name }: { Name: string }) => Name).sort()

const full = {
  ...{ Name: 'full', Internal: true, EnableIPv6: true, Labels: { color: 'blue' } },
  IPAM: {
    Options: { foo: 'bar' },
    Config: [{ Subnet: '10.77.0.0/16', Gateway: '10.77.5.254' }, { Subnet: '2001:db8:77::/64' }],
  },
}

describe('a network', () => {
  it('ENG-449 ENG-456 ENG-461 ENG-463 ENG-466 ENG-467 is read back as it was asked for, in the versions that have each field', async () => {
    expect((await create(full)).status).toBe(201)
    const fields = {
      ...{ Ingress: '1.29+', Created: '1.25+', Internal: '1.23+', EnableIPv6: '1.23+' },
      ...{ 'IPAM.Options': '1.22+', 'IPAM.Config.0.Subnet': 'all' },
    }
    const one = await inAllVersions(engine, '/networks/full')
    expect(spans(one, Object.keys(fields))).toEqual(fields)
    expect(one.get('1.47')).toMatchObject({
      ...{ Name: 'full', Internal: true, EnableIPv6: true, Ingress: false, Labels: full.Labels },
      IPAM: { Options: { foo: 'bar' }, Config: [full.IPAM.Config[0], { Subnet: '2001:db8:77::/64' }] },
    })
    expect(Date.now() - Date.parse(one.get('1.25').Created)).toBeLessThan(600_000)
    const list = await inAllVersions(engine, `/networks?${filter({ name: ['full'] })}`)
    const inList = new Map(
      [...list].map(([version, rows]) => [
        version,
        Array.isArray(rows) ? rows.find(({ Name }) => Name === 'full') : {},
      ]),
    )
    expect(spans(inList, Object.keys(fields))).toEqual(fields)
  })

  it('ENG-431 is refused with 400 where its addresses cannot be, in every version', async () => {
    const Config = [{ Subnet: '10.1.2.3/16', Gateway: '10.2.0.1' }, { Subnet: 'nonsense' }]
    for (const version of since('1.21')) {
      const { status, body } = await create({ Name: 'wrong', IPAM: { Config } }, version)
      const words = String(body.message ?? body)
      expect([version, status]).toEqual([version, 400])
      for (const each of ['invalid subnet 10.1.2.3/16', 'invalid gateway 10.2.0.1', 'invalid subnet nonsense']) {
        expect(words).toContain(each)
      }
    }
    expect((await engine.call('GET', '/networks/wrong')).status).toBe(404)
  })

  it('ENG-432 ENG-433 ENG-434 is refused when its name is in use, whatever CheckDuplicate says, in every version', async () => {
    for (const version of since('1.21')) {
      for (const CheckDuplicate of [true, false, undefined]) {
        const { status, body } = await create({ Name: 'full', CheckDuplicate }, version)
        expect([version, status, String(body.message ?? body).trim()]).toEqual([
          ...[version, 409, 'network with name full already exists'],
        ])
      }
    }
    expect((await create({ Name: 'checked', CheckDuplicate: true })).status).toBe(201)
    expect((await remove('checked')).status).toBe(204)
  })

  it('ENG-446 ENG-447 ENG-448 may say from 1.29 on whether it takes requests for a swarm, which only an overlay can', async () => {
    for (const version of ['1.29', '1.47']) {
      const refused = await create({ Name: 'ingress', Ingress: true }, version)
      expect([refused.status, refused.body.message]).toEqual([
        ...[400, 'an ingress network can only be created with the overlay driver'],
      ])
      const overlay = await create({ Name: 'ingress', Driver: 'overlay', Ingress: true }, version)
      expect([overlay.status, overlay.body.message]).toEqual([403, expect.stringContaining('not a swarm manager')])
      expect((await create({ Name: 'ingress', Ingress: false }, version)).status).toBe(201)
      expect((await get('/networks/ingress')).Ingress).toBe(false)
      expect((await engine.call('DELETE', `/v${version}/networks/ingress`)).status).toBe(204)
    }
    expect((await create({ Name: 'ingress', Ingress: 'yes' })).status).toBe(400)
    expect((await create({ Name: 'ingress', Ingress: true }, '1.28')).status).toBe(201)
    expect((await remove('ingress')).status).toBe(204)
  })

  it('ENG-462 ENG-464 has IPv6 by a field from 1.23 on, and by a label before', async () => {
    const label = { 'com.docker.network.enable_ipv6': 'true' }
    const made = new Map<string, boolean[]>()
    for (const version of ['1.21', '1.22', '1.23', '1.47']) {
      const answers: boolean[] = []
      for (const settings of [{ EnableIPv6: true }, { Labels: label }]) {
        const IPAM = { Config: [{ Subnet: '10.70.0.0/24' }, { Subnet: 'fd00:70::/64' }] }
        expect((await create({ Name: 'six', IPAM, ...settings }, version)).status).toBe(201)
        answers.push((await get('/networks/six')).EnableIPv6)
        await remove('six')
      }
      made.set(version, answers)
    }
    expect(Object.fromEntries(made)).toEqual({
      ...{ '1.21': [false, true], '1.22': [false, true], '1.23': [true, false], '1.47': [true, false] },
    })
    const Config = [{ Subnet: '10.71.0.0/24' }, { Subnet: 'fd00:71::/64' }]
    await create({ Name: 'six', EnableIPv6: true, IPAM: { Config } }, '1.23')
    const ids = await Promise.all(
      ['one', 'two'].map((name) => engine.run('1.47', name, { HostConfig: { NetworkMode: 'six' } })),
    )
    const { GlobalIPv6Address } = (await get(`/containers/${ids[0]}/json`)).NetworkSettings.Networks.six
    expect(GlobalIPv6Address).toMatch(/^fd00:71::/)
    expect(await engine.inside('two', `ping -6 -c 1 -W 5 ${GlobalIPv6Address}`)).toContain('1 packets received')
    for (const id of ids) await engine.call('DELETE', `/containers/${id}?force=1`)
    await remove('six')
  })

  it('ENG-471 is cut off from the outside when it is internal, from 1.22 on', async () => {
    await engine.host.run('ip', ['addr', 'add', '198.51.100.2/32', 'dev', 'lo'])
    for (const [version, Name] of [
      ['1.21', 'open'],
      ['1.22', 'inner'],
    ] as const) {
      expect((await create({ Name, Internal: true }, version)).status).toBe(201)
      await engine.run('1.47', `on-${Name}`, { HostConfig: { NetworkMode: Name, CapAdd: ['NET_RAW'] } })
    }
    expect((await get('/networks/inner')).Internal).toBe(true)
    const reach = 'ping -c 1 -W 2 198.51.100.2 > /dev/null 2>&1 && echo reached || echo not'
    expect([await engine.inside('on-open', reach), await engine.inside('on-inner', reach)]).toEqual([
      'reached\n',
      'not\n',
    ])
    await engine.run('1.47', 'beside', { HostConfig: { NetworkMode: 'inner' } })
    expect(await engine.inside('beside', 'ping -c 1 -W 5 on-inner')).toContain('1 packets received')
    for (const name of ['on-open', 'on-inner', 'beside']) await engine.call('DELETE', `/containers/${name}?force=1`)
    for (const name of ['open', 'inner']) await remove(name)
  })
})

describe('lists of networks', () => {
  it('ENG-438 ENG-439 ENG-440 ENG-441 ENG-450 ENG-459 ENG-460 ENG-468 ENG-469 ENG-470 are filtered, from the version of each filter on', async () => {
    await create({ Name: 'used' })
    await engine.run('1.47', 'user', { HostConfig: { NetworkMode: 'used' } })
    const all = ['bridge', 'full', 'host', 'none', 'used']
    const { Id } = await get('/networks/full')
    for (const [filters, left, from] of [
      [{ dangling: ['true'] }, ['full'], '1.40+'],
      [{ dangling: ['1'] }, ['full'], '1.40+'],
      [{ dangling: ['false'] }, ['bridge', 'host', 'none', 'used'], '1.40+'],
      [{ dangling: ['0'] }, ['bridge', 'host', 'none', 'used'], '1.40+'],
      [{ scope: ['swarm'] }, [], '1.29+'],
      [{ label: ['color'] }, ['full'], '1.24+'],
      [{ label: ['color=red'] }, [], '1.24+'],
      [{ driver: ['null', 'host'] }, ['host', 'none'], '1.24+'],
      [{ name: ['ul'] }, ['full'], '1.22+'],
      [{ id: [Id.slice(0, 20)] }, ['full'], '1.22+'],
      [{ type: ['builtin'] }, ['bridge', 'host', 'none'], '1.22+'],
      [{ type: ['custom'] }, ['full', 'used'], '1.22+'],
    ] as const) {
      const told = new Map<string, string>()
      for (const version of since('1.21')) told.set(version, (await names(filters, version)).join())
      expect([...told.values()].every((each) => [left.join(), all.join()].includes(each))).toBe(true)
      expect(
        spanOf((version) => told.get(version) === left.join()),
        JSON.stringify(filters),
      ).toBe(from)
    }
    expect(await names({ scope: ['local'] }, '1.29')).toEqual(all)
    expect((await engine.call('GET', `/networks?${filter({ unknown: ['x'] })}`)).status).toBe(400)
  })

  it('ENG-453 ENG-454 ENG-455 ENG-465 are without containers from 1.28 on, which one network tells by name', async () => {
    const id = (await get('/containers/user/json')).Id
    const inOne = new Map<string, string | undefined>()
    const inList = new Map<string, string[]>()
    for (const version of since('1.21')) {
      inOne.set(version, (await get(`/v${version}/networks/used`)).Containers[id]?.Name)
      const row = (await get(`/v${version}/networks`)).find(({ Name }: { Name: string }) => Name === 'used')
      inList.set(version, Object.keys(row.Containers ?? {}))
    }
    expect(spanOf((version) => inOne.get(version) === 'user')).toBe('1.22+')
    expect(spanOf((version) => inList.get(version)?.[0] === id)).toBe('1.21-1.27')
    for (const version of ['1.25', '1.47']) {
      expect(await get(`/v${version}/networks/`)).toEqual(await get(`/v${version}/networks`))
    }
    expect((await engine.call('GET', '/v1.24/networks/')).status).toBe(404)
  })

  it('ENG-443 ENG-444 ENG-445 ENG-451 ENG-452 look in one scope from 1.31 on, and for services and tasks from 1.28 on', async () => {
    const status = async (version: string, query: string) =>
      (await engine.call('GET', `/v${version}/networks/used?${query}`)).status
    for (const version of ['1.31', '1.47']) {
      expect(await status(version, 'scope=local')).toBe(200)
      expect([await status(version, 'scope=swarm'), await status(version, 'scope=global')]).toEqual([404, 404])
    }
    expect([await status('1.30', 'scope=swarm'), await status('1.30', 'scope=global')]).toEqual([200, 200])
    const services = async (version: string, query: string) =>
      (await get(`/v${version}/networks/used?${query}`)).Services
    // Outside a swarm there are none: the list is there, and empty; tasks stand below services.
    for (const version of ['1.28', '1.47']) expect(await services(version, 'verbose=true')).toEqual({})
    expect([await services('1.27', 'verbose=true'), await services('1.47', '')]).toEqual([undefined, undefined])
  })
})

describe('connecting', () => {
  const connect = (version: string, EndpointConfig: object, Container = 'user') =>
    engine.call('POST', `/v${version}/networks/full/connect`, { Container, EndpointConfig })
  const disconnect = (Force: boolean, version = '1.47') =>
    engine.call('POST', `/v${version}/networks/full/disconnect`, { Container: 'user', Force })
  const sysctls = 'net.ipv4.conf.IFNAME.log_martians=1,net.ipv4.conf.IFNAME.arp_notify=1'
  const asked = {
    IPAMConfig: { IPv4Address: '10.77.5.9', IPv6Address: '2001:db8:77::9' },
    MacAddress: '02:00:00:00:77:09',
    DriverOpts: { 'com.docker.network.endpoint.sysctls': sysctls },
  }
  const look = async () => {
    const shown = await engine.inside(
      'user',
      'ip addr show dev eth1; cat /proc/sys/net/ipv4/conf/eth1/log_martians /proc/sys/net/ipv4/conf/eth1/arp_notify',
    )
    const has = (text: string) => shown.includes(text)
    return {
      addresses: has('10.77.5.9/16') && has('2001:db8:77::9/64'),
      mac: has('02:00:00:00:77:09'),
      settings: shown.endsWith('1\n1\n'),
    }
  }

  it('ENG-428 ENG-429 ENG-437 ENG-472 ENG-473 ENG-474 puts a running container on a network as asked, and takes it off', async () => {
    const seen: Record<string, object> = {}
    for (const version of ['1.21', '1.22', '1.43', '1.44', '1.45', '1.46', '1.47']) {
      expect((await connect(version, asked)).status).toBe(200)
      seen[version] = await look()
      expect((await disconnect(true, version)).status).toBe(200)
      expect(await engine.inside('user', 'ip link')).not.toContain('eth1')
    }
    const [none, addressed] = [
      { addresses: false, mac: false, settings: false },
      { addresses: true, mac: false, settings: false },
    ]
    const named = { addresses: true, mac: true, settings: false }
    const tuned = { addresses: true, mac: true, settings: true }
    expect(seen).toEqual({
      ...{
        '1.21': none,
        '1.22': addressed,
        '1.43': addressed,
        '1.44': named,
        '1.45': named,
        '1.46': tuned,
        '1.47': tuned,
      },
    })
    expect((await disconnect(false)).status).toBe(403)
    await engine.call('POST', '/containers/create?name=rests', {
      Image: 'busybox',
      Cmd: ['true'],
      HostConfig: { NetworkMode: 'full' },
    })
    const off = await engine.call('POST', '/networks/full/disconnect', { Container: 'rests', Force: true })
    expect(off.status).toBe(200)
    expect((await get('/containers/rests/json')).NetworkSettings.Networks).not.toHaveProperty('full')
  })

  it('ENG-430 ENG-435 ENG-436 tells all that is wrong at once, also for a container that does not run, in every version', async () => {
    const wrong = { IPAMConfig: { IPv4Address: '192.0.2.1', IPv6Address: 'x' }, MacAddress: 'y' }
    for (const version of since('1.22')) {
      const { status, body } = await connect(version, wrong, 'rests')
      const words = String(body.message ?? body)
      expect([version, status]).toEqual([version, 400])
      expect(words).toContain('invalid IPv6 address: x')
      expect(words).toContain('no configured subnet contains IP address 192.0.2.1')
      expect(words.includes('invalid MAC address: y')).toBe(since('1.44').includes(version))
    }
    const DriverOpts = { 'com.docker.network.endpoint.sysctls': 'net.ipv4.conf.eth0.log_martians=1' }
    const named = await connect('1.46', { DriverOpts }, 'rests')
    expect([named.status, named.body.message]).toEqual([
      400,
      expect.stringContaining('must be written IFNAME, not eth0'),
    ])
  })
})

describe('removing networks', () => {
  it('ENG-442 goes by the id before the name, in every version', async () => {
    for (const version of ['1.21', '1.31', '1.47']) {
      const { body: first } = await create({ Name: 'first' })
      const { body: second } = await create({ Name: first.Id })
      expect((await engine.call('DELETE', `/v${version}/networks/${first.Id}`)).status).toBe(204)
      expect((await engine.call('GET', '/networks/first')).status).toBe(404)
      expect((await get(`/networks/${second.Id}`)).Name).toBe(first.Id)
      await remove(second.Id)
    }
  })

  it('ENG-645 ENG-700 ENG-713 ENG-714 ENG-715 ENG-716 of those that nobody uses goes by labels from 1.29 on', async () => {
    for (const [Name, Labels] of [
      ['keep', {}],
      ['old', { kind: 'test', env: 'dev' }],
      ['dev', { env: 'dev' }],
    ] as const) {
      await create({ Name, Labels })
    }
    const prune = async (filters: object, version = '1.29') =>
      (await engine.call('POST', `/v${version}/networks/prune?${filter(filters)}`)).body.NetworksDeleted
    expect((await engine.call('POST', '/v1.24/networks/prune')).status).toBe(404)
    expect((await engine.call('POST', `/v1.28/networks/prune?${filter({ label: ['kind'] })}`)).status).toBe(400)
    expect(await prune({ label: ['kind'], 'label!': ['env=dev'] })).toEqual([])
    expect(await prune({ label: ['kind'] })).toEqual(['old'])
    expect(await prune({ label: ['env=dev'] })).toEqual(['dev'])
    expect(await prune({ 'label!': ['color'] })).toEqual(['keep'])
    expect(await prune({ 'label!': ['color=green'] })).toEqual(['full'])
    await create({ Name: 'last' })
    expect(await prune({}, '1.25')).toEqual(['last'])
    expect(await names({ type: ['custom'] })).toEqual(['used'])
    const query = `since=1&until=${(Date.now() / 1000).toFixed(3)}&${filter({ type: ['network'], event: ['prune'] })}`
    const told = async (version: string) =>
      (await engine.client.call('GET', `/v${version}/events?${query}`)).body.toString()
    expect([(await told('1.41')).includes('"reclaimed"'), await told('1.40')]).toEqual([true, ''])
  })
})
