import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { arch, cpus, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { afterEach, describe, expect, it } from 'vitest'
import { EngineConfig } from '../../config.ts'
import { logBytes } from './log-bytes.ts'
import { parseOsRelease, proxyOf } from './machine.ts'
import { systemMigration } from './migration.ts'
import { type SwarmCluster, SwarmState } from './schema.ts'
import { engineId } from './store.ts'
import { type Replaced, startSystem, type TestSystem } from './testing/start-system.ts'

const started: TestSystem[] = []
afterEach(async () => {
  for (const system of started.splice(0)) await system.stop()
})

async function start(replaced?: Replaced): Promise<TestSystem> {
  const system = await startSystem(replaced)
  started.push(system)
  return system
}

async function read(system: TestSystem, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${system.url}${path}`)
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, unknown>
}

describe('ping', () => {
  it('recommends the builder that is set: the classic one, or BuildKit', async () => {
    expect(EngineConfig.parse({}).builderVersion).toBe('2')
    for (const builder of ['1', '2'] as const) {
      const { url } = await start({ settings: { builder } })
      for (const method of ['GET', 'HEAD']) {
        expect((await fetch(`${url}/_ping`, { method })).headers.get('builder-version')).toBe(builder)
      }
    }
    expect(EngineConfig.safeParse({ builderVersion: '3' }).success).toBe(false)
  })

  it('ENG-029 ENG-031 ENG-032 tells every state of a swarm', async () => {
    for (const state of SwarmState.options) {
      const { url } = await start({ swarmState: () => state })
      expect((await fetch(`${url}/_ping`)).headers.get('swarm')).toBe(state)
    }
  })
})

describe('version', () => {
  it('tells the engine and its parts', async () => {
    const version = await read(await start(), '/v1.47/version')
    expect(version).toMatchObject({
      Platform: { Name: 'Atoll Engine' },
      ApiVersion: '1.47',
      MinAPIVersion: '1.18',
      Os: 'linux',
      Arch: arch() === 'x64' ? 'amd64' : arch(),
      KernelVersion: release(),
      BuildTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/),
    })
    const [engine, runtime] = version.Components as { Name: string; Version: string; Details: object }[]
    expect(runtime).toEqual({ Name: 'crun', Version: '1.8.1', Details: { Path: '/usr/bin/crun' } })
    const { Platform: _, Components: __, Version: own, ...facts } = version
    expect(engine).toEqual({ Name: 'Engine', Version: own, Details: { ...facts, Experimental: 'false' } })
  })
})

describe('info', () => {
  it('tells counts, machine and time', async () => {
    const before = Date.now()
    const info = await read(await start(), '/v1.47/info')
    expect(info).toMatchObject({
      ID: 'an-engine',
      ...{ Containers: 6, ContainersRunning: 1, ContainersPaused: 2, ContainersStopped: 3, Images: 4 },
      ...{ OSType: 'linux', NCPU: cpus().length, MemTotal: totalmem(), KernelVersion: release() },
      Architecture: arch() === 'x64' ? 'x86_64' : 'aarch64',
      ServerVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
      Runtimes: { crun: { path: '/usr/bin/crun', status: {} } },
      DefaultRuntime: 'crun',
      Swarm: { LocalNodeState: 'inactive', ControlAvailable: false },
    })
    expect(Date.parse(String(info.SystemTime))).toBeGreaterThanOrEqual(before)
    expect(info.CgroupVersion).toMatch(/^[12]$/)
  })

  it('has what newer versions added', async () => {
    const info = await read(await start({ settings: { warnings: ['WARNING: open to all'] } }), '/v1.47/info')
    expect(info.Containerd).toBeNull()
    expect(info.CDISpecDirs).toEqual([])
    expect(typeof info.OSVersion).toBe('string')
    expect(info.DefaultAddressPools).toEqual([{ Base: '172.17.0.0/12', Size: 16 }])
    expect(info.ProductLicense).toBe('Apache-2.0')
    expect(info.Warnings).toContain('WARNING: open to all')
    expect(info.Plugins).toMatchObject({ Log: ['json-file', 'none'], Volume: ['local'] })
  })

  it('ENG-068 ENG-069 leaves kernel memory out where cgroups have no such limit, and warns of missing limits', async () => {
    const { readHostFacts } = await import('../../runtime/oci/host.ts')
    const host = { ...(await readHostFacts()), cgroupVersion: 2 as const, controls: new Set([]) }
    const system = await start({ host })
    const info = await read(system, '/v1.42/info')
    expect('KernelMemory' in info || 'KernelMemoryTCP' in info).toBe(false)
    expect(info.Warnings).toContain('WARNING: No memory limit support')
    expect(await read(system, '/v1.41/info')).toMatchObject({ KernelMemory: false, KernelMemoryTCP: false })
  })

  it('tells the data port and the authority of a swarm it manages, and nothing of one it does not', async () => {
    const system = await start({ swarmState: () => 'active/manager', swarmCluster: () => cluster })
    const told = async (version: string) => (await read(system, `/v${version}/info`)).Swarm
    expect(await told('1.47')).toMatchObject({
      ...{ LocalNodeState: 'active', ControlAvailable: true },
      Cluster: { ID: 'c1', DataPathPort: 4789, TLSInfo: { TrustRoot: 'a certificate' } },
    })
    expect(await told('1.40')).toMatchObject({ Cluster: { DataPathPort: 4789 } })
    expect(await told('1.39')).not.toMatchObject({ Cluster: { DataPathPort: 4789 } })
    expect(await told('1.30')).toMatchObject({ Cluster: { TLSInfo: { CertIssuerSubject: 'subject' } } })
    expect(await told('1.29')).toMatchObject({ Cluster: { ID: 'c1' } })
    expect(await told('1.29')).not.toMatchObject({ Cluster: { TLSInfo: {} } })
    const alone = await read(await start({ swarmCluster: () => cluster }), '/v1.47/info')
    expect(alone.Swarm).not.toHaveProperty('Cluster')
  })

  it('ENG-058 ENG-060 ENG-061 ENG-062 tells user namespaces, rootless mode and no-new-privileges', async () => {
    const settings = { isRootless: true, hasUserNamespaces: true, noNewPrivileges: true }
    const info = await read(await start({ settings }), '/v1.47/info')
    expect(info.CgroupDriver).toBe('none')
    for (const name of ['name=rootless', 'name=userns', 'name=no-new-privileges']) {
      expect(info.SecurityOptions).toContain(name)
    }
  })

  it('tells proxies without their passwords', async () => {
    const info = await read(await start(), '/v1.18/info')
    for (const name of ['HttpProxy', 'HttpsProxy', 'NoProxy']) expect(typeof info[name]).toBe('string')
    expect(proxyOf('HTTP_PROXY', { HTTP_PROXY: 'http://me:secret@proxy:3128' })).toBe('http://xxxxx:xxxxx@proxy:3128')
    expect(proxyOf('HTTPS_PROXY', { https_proxy: 'me:secret@proxy' })).toBe('xxxxx:xxxxx@proxy')
    expect(proxyOf('HTTP_PROXY', { HTTP_PROXY: 'http://proxy:3128/a@b' })).toBe('http://proxy:3128/a@b')
    expect(proxyOf('HTTP_PROXY', {})).toBe('')
  })

  it('ENG-050 gives nothing for a name of the system that cannot be read', () => {
    expect(parseOsRelease('')).toEqual({ name: '', version: '' })
    expect(parseOsRelease('PRETTY_NAME="A \\"B\\" 1"\nVERSION_ID=12\n')).toEqual({ name: 'A "B" 1', version: '12' })
  })
})

const cluster: SwarmCluster = {
  ...{
    ID: 'c1',
    Version: { Index: 7 },
    CreatedAt: '2026-01-01T00:00:00Z',
    UpdatedAt: '2026-01-01T00:00:00Z',
    Spec: {},
  },
  TLSInfo: { TrustRoot: 'a certificate', CertIssuerSubject: 'subject', CertIssuerPublicKey: 'key' },
  ...{ RootRotationInProgress: false, DefaultAddrPool: ['10.0.0.0/8'], SubnetSize: 24, DataPathPort: 4789 },
}

describe('disk usage', () => {
  it('tells when volumes were made, and what a cluster knows of them', async () => {
    const volume = { Name: 'data', CreatedAt: '2026-01-01T00:00:00Z', ClusterVolume: { ID: 'v1' } }
    const usage = { ...noUsage, volumes: async () => [volume] }
    const system = await start({ usage })
    const told = async (version: string) => (await read(system, `/v${version}/system/df`)).Volumes
    expect(await told('1.42')).toEqual([volume])
    expect(await told('1.41')).toEqual([{ Name: 'data', CreatedAt: volume.CreatedAt }])
    expect(await told('1.31')).toEqual([{ Name: 'data', CreatedAt: volume.CreatedAt }])
    expect(await told('1.30')).toEqual([{ Name: 'data' }])
  })

  it('counts logs among what a container has written', async () => {
    const { Containers: containers } = await read(await start(), '/system/df')
    expect(containers).toEqual([{ Id: 'c1', SizeRw: 17, SizeRootFs: 100, SizeLogs: 7 }])
    const folder = await mkdtemp(join(tmpdir(), 'engine-logs-'))
    await writeFile(join(folder, 'log.json'), 'x'.repeat(30))
    await writeFile(join(folder, 'log.json.1'), 'x'.repeat(20))
    await writeFile(join(folder, 'hosts'), 'x'.repeat(500))
    await mkdir(join(folder, 'upper'))
    expect(await logBytes(folder)).toBe(50)
    await rm(folder, { recursive: true })
    expect(await logBytes(folder)).toBe(0)
  })

  it('ENG-688 looks once for all who ask at the same time, and again afterwards', async () => {
    let looks = 0
    let finish = () => {}
    const looked = new Promise<void>((resolve) => {
      finish = resolve
    })
    const usage = {
      ...noUsage,
      images: async () => {
        looks++
        await looked
        return { images: [{ Id: `look ${looks}` }], layerBytes: 0 }
      },
    }
    const system = await start({ usage })
    const first = read(system, '/v1.47/system/df')
    const others = Array.from({ length: 5 }, () => read(system, '/v1.30/system/df'))
    const only = read(system, '/v1.47/system/df?type=image')
    await expect(Promise.race([first, sleep(500)])).resolves.toBe('slept')
    finish()
    for (const { Images: images } of await Promise.all([first, only, ...others])) {
      expect(images).toMatchObject([{ Id: 'look 1' }])
    }
    expect(looks).toBe(1)
    expect((await read(system, '/system/df')).Images).toEqual([{ Id: 'look 2' }])
  })

  it('lets a failed look fail for those who waited, and looks anew for the next', async () => {
    let isBroken = true
    const usage = {
      ...noUsage,
      volumes: async () => {
        if (isBroken) throw new Error('a disk is gone')
        return []
      },
    }
    const system = await start({ usage })
    expect((await fetch(`${system.url}/system/df`)).status).toBe(500)
    isBroken = false
    expect((await read(system, '/system/df')).Volumes).toEqual([])
  })
})

const noUsage = {
  containers: async () => [],
  logBytes: async () => 0,
  volumes: async () => [],
  buildCache: async () => [],
  images: async () => ({ images: [], layerBytes: 0 }),
}

const sleep = (ms: number): Promise<string> => new Promise((resolve) => setTimeout(() => resolve('slept'), ms))

describeBothDatabases('the id of an engine', (open) => {
  it('is made once and kept, also when two starts race', async () => {
    const { queries } = await open([systemMigration])
    const [one, other] = await Promise.all([engineId(queries, 'a'), engineId(queries, 'b')])
    expect(one).toBe(other)
    expect(await engineId(queries, 'c')).toBe(one)
  })
})
