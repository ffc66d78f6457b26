// What is told of the containers of a whole engine, one by one and in lists.
import { mkdtempSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inAllVersions, since, spanOf, spans, versions } from '../../testing/by-version.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'
import { build, contextOf } from '../build/testing/build-client.ts'

let engine: WholeEngine
let folder: string
let web: string

const mount = (Target: string, BindOptions: object) => ({
  Type: 'bind',
  Source: folder,
  Target,
  ReadOnly: true,
  BindOptions,
})

beforeAll(async () => {
  folder = mkdtempSync('/tmp/atoll-list-')
  engine = await startWholeEngine()
  await engine.call('POST', '/networks/create', { Name: 'mine' })
  await engine.call('POST', '/containers/create?name=first', { Image: 'busybox' })
  await engine.run('1.47', 'job', { Cmd: ['sh', '-c', 'exit 3'] })
  await engine.call('POST', '/containers/job/wait')
  web = await engine.run('1.47', 'web', {
    Cmd: ['sleep', '3600'],
    Labels: { tier: 'web' },
    ExposedPorts: { '80/tcp': {}, '90/udp': {} },
    HostConfig: {
      PortBindings: { '80/tcp': [{ HostPort: '8080' }] },
      Annotations: { note: 'this' },
      Mounts: [
        mount('/a', { ReadOnlyNonRecursive: true }),
        mount('/b', { ReadOnlyForceRecursive: true }),
        mount('/c', { NonRecursive: true }),
      ],
    },
  })
  const Healthcheck = { Test: ['CMD', 'true'], Interval: 2e8, Retries: 2 }
  await engine.run('1.47', 'db', { HostConfig: { NetworkMode: 'mine' }, Healthcheck })
  await engine.run('1.47', 'frozen')
  await engine.call('POST', '/containers/frozen/pause')
  const always = { HostConfig: { RestartPolicy: { Name: 'always' } }, Cmd: ['sh', '-c', 'exit 1'] }
  await engine.run('1.47', 'again', always)
})
afterAll(async () => {
  await engine?.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Listed {
  Names: string[]
  State: string
  Status: string
}
const list = async (version: string, query = '?all=1'): Promise<Listed[]> =>
  (await engine.call('GET', `/v${version}/containers/json${query}`)).body
const names = async (filters: object, version = '1.47') => {
  const query = `?all=1&filters=${encodeURIComponent(JSON.stringify(filters))}`
  return (await list(version, query)).map(({ Names }) => Names[0]?.slice(1))
}
const everybody = ['again', 'frozen', 'db', 'web', 'job', 'first']
/** The versions in which a filter leaves these; in the others it is passed over. */
const spanOfFilter = async (filters: object, left: string[]) => {
  const told = new Map<string, string>()
  for (const version of versions) told.set(version, (await names(filters, version)).join())
  expect(new Set(told.values())).toEqual(new Set([left.join(), everybody.join()]))
  return spanOf((version) => told.get(version) === left.join())
}

describe('the list of containers', () => {
  it('ENG-285 ENG-286 ENG-287 ENG-288 ENG-289 ENG-290 tells the state of each, from 1.23 on', async () => {
    const states = async (version: string) =>
      Object.fromEntries((await list(version)).map(({ Names, State }) => [Names[0], State]))
    const expected = { '/first': 'created', '/job': 'exited', '/web': 'running', '/db': 'running', '/frozen': 'paused' }
    for (const version of ['1.23', '1.47']) {
      // It fails at once, again and again: between two of its lives it waits.
      await expect.poll(() => states(version), { timeout: 20_000 }).toEqual({ ...expected, '/again': 'restarting' })
    }
    expect(Object.values(await states('1.22'))).toEqual(Array(6).fill(undefined))
  })

  it('ENG-274 ENG-292 ENG-293 ENG-294 has annotations, mounts, networks and images from their versions on', async () => {
    const told = new Map<string, Listed | undefined>()
    for (const version of versions)
      told.set(
        version,
        (await list(version)).find(({ Names }) => Names[0] === '/web'),
      )
    const fields = {
      ...{ 'HostConfig.Annotations.note': '1.46+', 'Mounts.0.Destination': '1.23+' },
      ...{ 'NetworkSettings.Networks.bridge.IPAddress': '1.22+', ImageID: '1.21+', 'HostConfig.NetworkMode': 'all' },
    }
    expect(spans(told, Object.keys(fields))).toEqual(fields)
    expect(told.get('1.47')).toMatchObject({
      ...{ Id: web, Image: 'busybox', ImageID: expect.stringMatching(/^sha256:/), Labels: { tier: 'web' } },
      HostConfig: { Annotations: { note: 'this' } },
      Mounts: [{ Type: 'bind', Source: folder, Destination: '/a', RW: false }, {}, {}],
    })
  })

  it('ENG-275 ENG-276 ENG-277 shows how bind mounts were asked to be bound', async () => {
    const [{ Mounts }] = (
      await engine.call('GET', `/containers/json?filters=${encodeURIComponent('{"name":["web"]}')}`)
    ).body
    expect(Mounts.map(({ BindOptions }: { BindOptions: object }) => BindOptions)).toEqual([
      ...[{ ReadOnlyNonRecursive: true }, { ReadOnlyForceRecursive: true }, { NonRecursive: true }],
    ])
  })

  it('ENG-278 ENG-279 ENG-282 ENG-283 ENG-284 ENG-295 is filtered, from the version of each filter on', async () => {
    for (const [filters, left, from] of [
      [{ publish: ['8080'] }, ['web'], '1.28+'],
      [{ publish: ['8000-9000/tcp'] }, ['web'], '1.28+'],
      [{ expose: ['90/udp'] }, ['web'], '1.28+'],
      [{ network: ['mine'] }, ['db'], '1.24+'],
      [{ 'is-task': ['true'] }, [], '1.25+'],
    ] as const) {
      expect(await spanOfFilter(filters, [...left]), JSON.stringify(filters)).toBe(from)
    }
    expect(await names({ publish: ['8080/udp'] })).toEqual([])
    expect(await names({ 'is-task': ['false'] }, '1.25')).toEqual(everybody)
    await expect.poll(() => names({ health: ['healthy'] }), { timeout: 20_000 }).toEqual(['db'])
    expect(await spanOfFilter({ health: ['healthy'] }, ['db'])).toBe('1.25+')
    expect(await names({ health: ['none'] })).toEqual(everybody.filter((name) => name !== 'db'))
    // Every container of this host is of the default isolation, and it is asked for from 1.22 on.
    expect(await names({ isolation: ['default'] }, '1.22')).toEqual(everybody)
    expect(await spanOfFilter({ isolation: ['hyperv'] }, [])).toBe('1.22+')
  })
})

describe('a container', () => {
  it('ENG-232 ENG-233 ENG-234 ENG-235 ENG-236 tells its sizes when asked, from 1.21 on', async () => {
    await engine.inside('web', 'head -c 5000 /dev/zero > /written')
    const told = await inAllVersions(engine, '/containers/web/json?size=1')
    expect(spans(told, ['SizeRw', 'SizeRootFs', 'Size'])).toEqual({
      SizeRw: '1.21+',
      SizeRootFs: '1.21+',
      Size: '1.21+',
    })
    const { SizeRw, SizeRootFs, Size } = told.get('1.47')
    expect(SizeRw).toBeGreaterThanOrEqual(5_000)
    expect([SizeRootFs > SizeRw, Size]).toEqual([true, SizeRootFs])
    const unasked = await inAllVersions(engine, '/containers/web/json')
    expect(spans(unasked, ['SizeRw', 'SizeRootFs', 'Size'])).toEqual({
      SizeRw: 'none',
      SizeRootFs: 'none',
      Size: 'none',
    })
  })

  it('ENG-211 ENG-212 ENG-213 ENG-214 ENG-226 ENG-227 tells every network it is on', async () => {
    const EndpointsConfig = { mine: { Aliases: ['nick'], MacAddress: '02:00:00:00:00:07' }, bridge: {} }
    const id = await engine.run('1.47', 'both', {
      HostConfig: { NetworkMode: 'mine' },
      NetworkingConfig: { EndpointsConfig },
    })
    const told = await inAllVersions(engine, '/containers/both/json')
    const places = {
      ...{ 'NetworkSettings.Networks.mine.DNSNames': '1.44+', 'NetworkSettings.Networks.mine.NetworkID': '1.22+' },
      ...{ 'NetworkSettings.Networks.mine': '1.21+', 'NetworkSettings.Networks.bridge': '1.21+' },
    }
    expect(spans(told, Object.keys(places))).toEqual(places)
    const { mine } = told.get('1.47').NetworkSettings.Networks
    const network = (await engine.call('GET', '/networks/mine')).body
    expect(mine).toMatchObject({ NetworkID: network.Id, MacAddress: '02:00:00:00:00:07', Aliases: ['nick'] })
    expect(mine.DNSNames).toEqual(expect.arrayContaining(['both', 'nick', id.slice(0, 12)]))
    expect(told.get('1.44').NetworkSettings.Networks.mine.MacAddress).toBe('02:00:00:00:00:07')
    const short = (version: string) =>
      told.get(version).NetworkSettings.Networks?.mine.Aliases?.includes(id.slice(0, 12))
    expect(spanOf((version) => short(version) === true)).toBe('1.21-1.44')
    expect(told.get('1.45').NetworkSettings.Networks.mine.Aliases).toEqual(['nick'])
    await engine.call('DELETE', '/containers/both?force=1')
  })

  it('ENG-118 ENG-215 ENG-216 ENG-217 ENG-218 ENG-219 ENG-228 ENG-229 ENG-230 ENG-231 still has the fields that are to go', async () => {
    const asked = { Image: 'busybox', Cmd: ['sleep', '99'], MacAddress: '02:00:00:00:00:09' }
    const { body } = await engine.call('POST', '/v1.44/containers/create?name=dated', asked)
    expect(body.Warnings).toEqual([
      'The container-wide MacAddress field is now deprecated. It should be specified in EndpointsConfig instead.',
    ])
    expect((await engine.call('POST', '/v1.43/containers/create', asked)).body.Warnings).toEqual([])
    await engine.call('POST', '/containers/dated/start')
    expect(await engine.inside('dated', 'cat /sys/class/net/eth0/address')).toBe('02:00:00:00:00:09\n')
    const told = await inAllVersions(engine, '/containers/dated/json')
    for (const version of since('1.21')) {
      expect(told.get(version).NetworkSettings, version).toMatchObject({
        ...{ Gateway: '172.17.0.1', IPAddress: expect.stringMatching(/^172\.17\.0\./), IPPrefixLen: 16 },
        ...{ MacAddress: '02:00:00:00:00:09', HairpinMode: false, LinkLocalIPv6Address: '', LinkLocalIPv6PrefixLen: 0 },
        ...{ SecondaryIPAddresses: null, SecondaryIPv6Addresses: null },
      })
    }
    await engine.call('DELETE', '/containers/dated?force=1')
  })
})

it('finds containers of an image that only differs in its settings from the one below, and not those of that one', async () => {
  const label = (base: string, text: string) => contextOf({ Dockerfile: `FROM ${base}\nLABEL ${text}\n` })
  await build(engine.socketPath, 't=below:1', label('busybox', 'is=below'))
  await build(engine.socketPath, 't=beside:1', label('busybox', 'is=beside'))
  await build(engine.socketPath, 't=above:1', label('below:1', 'is=above'))
  for (const name of ['below', 'beside', 'above']) {
    await engine.call('POST', `/containers/create?name=of-${name}`, { Image: `${name}:1` })
  }
  expect(await names({ ancestor: ['below:1'] })).toEqual(['of-above', 'of-below'])
  expect(await names({ ancestor: ['busybox'] })).toEqual(expect.arrayContaining(['first', 'of-above', 'of-beside']))
})
