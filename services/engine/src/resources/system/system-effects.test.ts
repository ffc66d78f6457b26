// What an engine tells of itself and of all its answers, in every version: asked of a whole engine.
import { arch, cpus, release, totalmem } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inAllVersions, spanOf, spans, versions } from '../../testing/by-version.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
/** Of another configuration, on a machine that does not say what it is. */
let other: WholeEngine

const proxies = { HTTP_PROXY: 'http://me:secret@proxy:3128', HTTPS_PROXY: 'http://safe:3128', NO_PROXY: 'localhost' }

beforeAll(async () => {
  ;[engine, other] = await Promise.all([
    startWholeEngine(),
    startWholeEngine({
      settings: { builderVersion: '1', ipcMode: 'shareable', labels: ['zone=cellar'] },
      env: proxies,
      prepare: (host) => host.run('mount', ['--bind', '/dev/null', '/etc/os-release']),
    }),
  ])
})
afterAll(() => Promise.all([engine?.stop(), other?.stop()]))

const ask = async (path: string, method = 'GET', body?: unknown) => {
  const answer = await engine.client.open(method, path, body)
  let text = ''
  for await (const chunk of answer) text += chunk
  return { status: answer.statusCode, headers: answer.headers, text }
}
const info = () => inAllVersions(engine, '/info')

describe('versions', () => {
  it('ENG-001 ENG-003 ENG-004 are chosen by what an address begins with; without one it is the newest', async () => {
    expect(versions.at(-1)).toBe('1.47')
    const told = await inAllVersions(engine, '/version')
    expect(told.get('1.47')).toEqual((await engine.call('GET', '/version')).body)
    expect(spans(told, ['ApiVersion', 'MinAPIVersion', 'Platform'])).toEqual({
      ...{ ApiVersion: 'all', MinAPIVersion: '1.25+', Platform: '1.35+' },
    })
    expect((await engine.call('GET', '/containers/json')).status).toBe(200)
  })

  it('ENG-011 are refused with 400 when they are too new', async () => {
    for (const version of ['1.48', '1.50', '2.0', '1.100', '99.99']) {
      const message = `client version ${version} is too new. Maximum supported API version is 1.47`
      expect(await engine.call('GET', `/v${version}/containers/json`)).toEqual({ status: 400, body: { message } })
    }
  })
})

describe('versions of long ago', () => {
  it('ENG-012 are answered 404 in the words of their time when they are too old', async () => {
    for (const version of ['1.17', '1.0', '0.9']) {
      const { status, headers, text } = await ask(`/v${version}/info`)
      expect([status, headers['content-type']]).toEqual([404, expect.stringContaining('text/plain')])
      expect(text).toContain(`client version ${version} is too old. Minimum supported API version is 1.18`)
    }
    expect((await ask('/v1.18/info')).status).toBe(200)
  })
})

describe('every answer', () => {
  const asked = ['info', 'containers/json', 'images/json', 'containers/nobody/json', 'nowhere', 'swarm', 'volumes/none']

  it('ENG-005 ENG-006 ENG-007 ENG-008 ENG-009 ENG-010 tells the newest version and whether it is experimental, errors too', async () => {
    const addresses = ['/info', '/nowhere', '/v1.99/info', ...versions.flatMap((v) => asked.map((p) => `/v${v}/${p}`))]
    const statuses = new Set<number | undefined>()
    for (const path of addresses) {
      const { status, headers } = await ask(path)
      statuses.add(status)
      expect([headers['api-version'], headers['vendor-experimental']], path).toEqual(['1.47', 'false'])
    }
    for (const status of [200, 400, 404, 503]) expect(statuses).toContain(status)
  })

  it('ENG-725 ENG-726 is JSON from 1.24 on when it is an error, and plain text before', async () => {
    const refused: [string, string, number, unknown?][] = [
      ...['containers/no/json', 'images/no/json', 'networks/no', 'exec/no/json', 'nowhere'].map(
        (path): [string, string, number] => ['GET', path, 404],
      ),
      ['GET', 'containers/json?filters=nonsense', 400],
      ['GET', 'swarm', 503],
      ['POST', 'info', 405],
      ['DELETE', 'containers/no', 404],
      ['POST', 'containers/create?name=said', 409, { Image: 'busybox' }],
    ]
    await engine.call('POST', '/containers/create?name=said', { Image: 'busybox' })
    for (const version of versions) {
      for (const [method, path, expected, body] of refused) {
        const { status, headers, text } = await ask(`/v${version}/${path}`, method, body)
        const isOld = Number(version.slice(2)) < 24
        expect([status, version, path]).toEqual([expected, version, path])
        expect(headers['content-type'], path).toMatch(isOld ? /^text\/plain/ : /^application\/json$/)
        if (isOld) expect(text).toMatch(/^[^{}]+\n$/)
        else expect(JSON.parse(text)).toEqual({ message: expect.stringMatching(/./) })
      }
    }
  })
})

describe('ping', () => {
  it('ENG-016 ENG-021 ENG-022 ENG-023 ENG-025 ENG-026 ENG-027 ENG-030 answers OK with what clients negotiate by', async () => {
    for (const path of ['/_ping', ...versions.map((version) => `/v${version}/_ping`)]) {
      const { status, headers, text } = await ask(path)
      expect([status, text]).toEqual([200, 'OK'])
      expect(headers).toMatchObject({
        'cache-control': 'no-cache, no-store, must-revalidate',
        ...{ pragma: 'no-cache', 'builder-version': '2', swarm: 'inactive', 'api-version': '1.47', ostype: 'linux' },
      })
    }
  })

  it('ENG-037 recommends the classic builder where that is set, in every version, as a daemon on Windows does', async () => {
    for (const path of ['/_ping', ...versions.map((version) => `/v${version}/_ping`)]) {
      const set = await other.client.open('GET', path)
      expect(set.resume().headers['builder-version'], path).toBe('1')
    }
  })

  it('ENG-017 ENG-018 ENG-019 ENG-020 ENG-024 ENG-028 answers HEAD with the same headers and no body', async () => {
    for (const path of ['/_ping', '/v1.18/_ping', '/v1.47/_ping']) {
      const [got, head] = [await ask(path), await ask(path, 'HEAD')]
      expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '0'])
      const ofConnection = ['x-request-id', 'date', 'connection', 'keep-alive', 'content-length']
      for (const name of Object.keys(got.headers).filter((each) => !ofConnection.includes(each))) {
        expect(head.headers[name], name).toBe(got.headers[name])
      }
      expect([head.headers['builder-version'], head.headers.swarm]).toEqual(['2', 'inactive'])
    }
  })
})

describe('version', () => {
  it('ENG-092 ENG-093 ENG-094 ENG-095 ENG-096 ENG-097 ENG-098 ENG-099 tells the engine and its parts', async () => {
    const told = await inAllVersions(engine, '/version')
    const fields = { 'Platform.Name': '1.35+', 'Components.0.Name': '1.35+', MinAPIVersion: '1.25+' }
    const always = { Os: 'all', Arch: 'all', KernelVersion: 'all', BuildTime: 'all' }
    expect(spans(told, Object.keys({ ...fields, ...always }))).toEqual({ ...fields, ...always })
    const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/
    expect(spanOf((version) => rfc3339.test(told.get(version).BuildTime))).toBe('1.22+')
    const { Platform: _, Components: parts, Version: own, ...facts } = told.get('1.47')
    expect(facts).toMatchObject({ Os: 'linux', Arch: arch() === 'x64' ? 'amd64' : arch(), KernelVersion: release() })
    expect(facts.MinAPIVersion).toBe('1.18')
    const [ownPart, runtime] = parts
    // The same facts: whichever a client reads, they are the component's.
    expect(ownPart).toEqual({ Name: 'Engine', Version: own, Details: { ...facts, Experimental: 'false' } })
    expect(runtime).toMatchObject({ Name: 'crun', Version: expect.stringMatching(/^\d/) })
  })
})

describe('info', () => {
  it('ENG-038 ENG-039 ENG-040 ENG-041 ENG-042 ENG-043 ENG-044 ENG-045 ENG-046 ENG-048 ENG-049 ENG-052 ENG-055 ENG-056 ENG-064 ENG-070 ENG-076 ENG-077 ENG-078 ENG-079 ENG-080 ENG-085 ENG-086 ENG-087 has each field in the versions that have it', async () => {
    const fields = {
      ...{ Containerd: '1.46+', CDISpecDirs: '1.44+', 'Runtimes.crun.status': '1.44+', OSVersion: '1.41+' },
      ...{ CgroupVersion: '1.41+', DefaultAddressPools: '1.41+', PidsLimit: '1.40+', ProductLicense: '1.39+' },
      ...{ ClusterStore: 'to 1.40', ClusterAdvertise: 'to 1.40', SystemStatus: '1.22-1.40', Warnings: '1.39+' },
      ...{ 'Plugins.Log': '1.30+', Isolation: '1.25+', SecurityOptions: '1.24+', CgroupDriver: '1.23+' },
      ...{ ExecutionDriver: 'to 1.23', ServerVersion: '1.21+', CPUShares: '1.21+', CPUSet: '1.21+' },
      ...{ CpuCfsPeriod: '1.19+', CpuCfsQuota: '1.19+', OomKillDisable: '1.19+' },
    }
    const told = await info()
    expect(spans(told, Object.keys(fields))).toEqual(fields)
    const today = told.get('1.47')
    expect(today.Plugins.Log).toEqual(expect.arrayContaining(['json-file', 'local', 'none']))
    expect(today.CgroupVersion).toMatch(/^[12]$/)
    expect(today.ProductLicense).toBe('Apache-2.0')
    expect(today.DefaultAddressPools[0]).toEqual({ Base: expect.stringContaining('/'), Size: expect.any(Number) })
    expect(today.ServerVersion).toMatch(/^\d+\.\d+\.\d+/)
    expect(typeof today.PidsLimit).toBe('boolean')
  })

  it('ENG-057 ENG-059 ENG-063 ENG-065 tells security options by name and value from 1.25 on, and none that it lacks', async () => {
    const told = await info()
    expect(told.get('1.24').SecurityOptions).toEqual(['seccomp'])
    for (const version of ['1.25', '1.47']) {
      expect(told.get(version).SecurityOptions).toEqual(['name=seccomp,profile=builtin'])
    }
    expect(spanOf((version) => told.get(version).CgroupDriver === 'cgroupfs')).toBe('1.23+')
  })

  it('ENG-066 ENG-067 ENG-081 ENG-082 ENG-083 ENG-084 tells what the host can do as booleans, and as numbers in 1.18', async () => {
    const told = await info()
    for (const name of ['Debug', 'IPv4Forwarding', 'MemoryLimit', 'SwapLimit']) {
      expect(spanOf((version) => typeof told.get(version)[name] === 'boolean')).toBe('1.19+')
      expect(told.get('1.18')[name], name).toBe(told.get('1.19')[name] ? 1 : 0)
    }
    const kernelMemory = (version: string) => typeof told.get(version).KernelMemory
    expect(['1.22', '1.23', '1.40', '1.41'].map(kernelMemory)).toEqual(['undefined', 'boolean', 'boolean', 'boolean'])
  })

  it('ENG-071 ENG-072 ENG-073 ENG-074 ENG-075 ENG-088 counts containers by state, and tells machine and time', async () => {
    await engine.run('1.47', 'runs')
    await engine.run('1.47', 'rests')
    expect((await engine.call('POST', '/containers/rests/pause')).status).toBe(204)
    const [before, told] = [Date.now(), await info()]
    const counts = { Containers: 3, ContainersRunning: 1, ContainersPaused: 1, ContainersStopped: 1, Images: 1 }
    expect(told.get('1.47')).toMatchObject({
      ...counts,
      ...{ OSType: 'linux', NCPU: cpus().length, MemTotal: totalmem(), KernelVersion: release() },
      Architecture: arch() === 'x64' ? 'x86_64' : 'aarch64',
    })
    const since22 = ['Architecture', 'OSType', 'ContainersRunning', 'ContainersPaused', 'ContainersStopped']
    expect(spans(told, since22)).toEqual(Object.fromEntries(since22.map((name) => [name, '1.22+'])))
    for (const { SystemTime } of told.values()) expect(Date.parse(SystemTime)).toBeGreaterThanOrEqual(before)
    for (const name of ['runs', 'rests', 'said']) await engine.call('DELETE', `/containers/${name}?force=1`)
  })

  it('ENG-051 ENG-089 ENG-090 ENG-091 tells proxies without their passwords, and nothing of a system that has no name', async () => {
    const told = await inAllVersions(other, '/info')
    for (const version of versions) {
      expect(told.get(version), version).toMatchObject({
        ...{ HttpProxy: 'http://xxxxx:xxxxx@proxy:3128', HttpsProxy: proxies.HTTPS_PROXY, NoProxy: proxies.NO_PROXY },
        OperatingSystem: Number(version.slice(2)) < 39 ? '<unknown>' : '',
      })
    }
  })
})

describe('another configuration', () => {
  it('ENG-143 has containers that share their memory unless they say otherwise', async () => {
    const modeOf = async (version: string, HostConfig: object) => {
      const { body } = await other.call('POST', `/v${version}/containers/create`, { Image: 'busybox', HostConfig })
      return (await other.call('GET', `/containers/${body.Id}/json`)).body.HostConfig.IpcMode
    }
    for (const version of ['1.40', '1.47']) expect(await modeOf(version, {})).toBe('shareable')
    expect(await modeOf('1.47', { IpcMode: 'private' })).toBe('private')
  })
})

describe('disk usage', () => {
  it('ENG-680 ENG-681 ENG-682 ENG-683 ENG-684 ENG-685 ENG-686 reports the kinds that are asked for, and all without a word', async () => {
    const keys = async (query: string, version = '1.47') =>
      Object.keys((await engine.call('GET', `/v${version}/system/df${query}`)).body).sort()
    const all = ['BuildCache', 'Containers', 'Images', 'LayersSize', 'Volumes']
    expect(await keys('')).toEqual(all)
    for (const [query, told] of [
      ['?type=container', ['Containers']],
      ['?type=image', ['Images', 'LayersSize']],
      ['?type=volume', ['Volumes']],
      ['?type=build-cache', ['BuildCache']],
      ['?type=volume&type=container', ['Containers', 'Volumes']],
    ] as const) {
      expect(await keys(query)).toEqual(told)
      expect(await keys(query, '1.42')).toEqual(told)
      expect(await keys(query, '1.41')).toEqual(expect.arrayContaining(all))
    }
    const refused = await engine.call('GET', '/system/df?type=cake')
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('unknown object type: cake')])
    const told = await inAllVersions(engine, '/system/df')
    for (const version of versions.slice(0, 7)) told.set(version, {})
    expect(spans(told, ['Images.0.VirtualSize', 'Images.0.Size', 'BuilderSize'])).toEqual({
      ...{ 'Images.0.VirtualSize': '1.25-1.43', 'Images.0.Size': '1.25+', BuilderSize: '1.25-1.41' },
    })
  })

  it('ENG-687 ENG-689 can be asked for by many at once', async () => {
    const asked = Array.from({ length: 12 }, (_, index) => `/v${index % 2 ? '1.47' : '1.30'}/system/df`)
    const answers = await Promise.all(asked.map((path) => engine.call('GET', path)))
    for (const { status, body } of answers) {
      expect([status, body.Images.length]).toEqual([200, 1])
      expect(JSON.stringify(body)).not.toContain('already running')
    }
  })
})
