// Every setting of a container: from which version on it is taken, and from which it is read back, by a whole engine.
import { mkdtempSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { around, at, inAllVersions, spanOf, spans, type Told } from '../../testing/by-version.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
let folder: string
beforeAll(async () => {
  folder = mkdtempSync('/tmp/atoll-settings-')
  engine = await startWholeEngine()
})
afterAll(async () => {
  await engine?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const create = async (version: string, body: object, query = '') =>
  engine.call('POST', `/v${version}/containers/create${query}`, { Image: 'busybox', ...body })
const inspect = async (id: string, version = '1.47') =>
  (await engine.call('GET', `/v${version}/containers/${id}/json`)).body

/** The same container made by callers of several versions, as one of today sees it. */
async function madeIn(among: readonly string[], body: object): Promise<Told> {
  const told: Told = new Map()
  for (const version of among) {
    const { status, body: answer } = await create(version, body)
    expect([version, status, answer.message]).toEqual([version, 201, undefined])
    told.set(version, await inspect(answer.Id))
    await engine.call('DELETE', `/containers/${answer.Id}`)
  }
  return told
}

type Setting = readonly [since: string, value: unknown, shownSince?: string]

/** Where settings stand, with what they are and since when: nothing but that reaches or leaves the engine. */
async function expectSettings(body: object, settings: Record<string, Setting>): Promise<void> {
  const boundaries = Object.values(settings).flatMap(([since]) => (since === 'all' ? [] : [since.slice(0, -1)]))
  const among = around(...boundaries)
  const made = await madeIn(among, body)
  const { Id } = (await create('1.47', body)).body
  const shown = await inAllVersions(engine, `/containers/${Id}/json`, among)
  for (const [place, [since, value, shownSince = since]] of Object.entries(settings)) {
    const isThere = (told: Told) =>
      spanOf((version) => JSON.stringify(at(told.get(version), place)) === JSON.stringify(value), among)
    expect([place, isThere(made), isThere(shown)]).toEqual([place, since, shownSince])
  }
}

const device = [{ Path: '/dev/null', Rate: 1000 }]

describe('settings', () => {
  it('ENG-119 ENG-133 ENG-134 ENG-140 ENG-141 ENG-153 ENG-161 ENG-162 ENG-170 ENG-180 ENG-199 ENG-200 ENG-202 ENG-208 ENG-209 ENG-210 ENG-240 ENG-244 ENG-245 ENG-246 ENG-250 ENG-256 ENG-257 ENG-259 ENG-260 ENG-263 ENG-264 ENG-265 ENG-266 ENG-267 ENG-268 ENG-269 ENG-270 ENG-271 ENG-272 of the host are taken and read back from their version on', async () => {
    const fields: Record<string, Setting> = {
      Annotations: ['1.43+', { a: 'b' }],
      CgroupnsMode: ['1.41+', 'private'],
      DeviceRequests: ['1.40+', [{ Driver: 'gpu', Count: -1, Capabilities: [['gpu']] }]],
      KernelMemoryTCP: ['1.40+', 8 << 20],
      DeviceCgroupRules: ['1.28+', ['c 1:3 mr']],
      CpuRealtimePeriod: ['1.25+', 1_000_000],
      CpuRealtimeRuntime: ['1.25+', 1_000],
      CpuCount: ['1.25+', 2],
      StorageOpt: ['1.24+', { size: '1G' }],
      IOMaximumBandwidth: ['1.24+', 7],
      IOMaximumIOps: ['1.24+', 8],
      PidsLimit: ['1.23+', 50],
      UsernsMode: ['1.23+', 'host'],
      BlkioDeviceReadBps: ['1.22+', device],
      BlkioDeviceWriteBps: ['1.22+', device],
      BlkioDeviceReadIOps: ['1.22+', device],
      BlkioDeviceWriteIOps: ['1.22+', device],
      OomScoreAdj: ['1.21+', 100],
      DnsOptions: ['1.21+', ['ndots:2']],
      GroupAdd: ['1.20+', ['audio']],
      CpuPeriod: ['1.19+', 100_000],
      CpuQuota: ['1.19+', 50_000],
      CgroupParent: ['all', '/mine'],
      Ulimits: ['all', [{ Name: 'nofile', Soft: 10, Hard: 20 }]],
    }
    const HostConfig = Object.fromEntries(Object.entries(fields).map(([name, [, value]]) => [name, value]))
    const places = Object.entries(fields).map(([name, expected]) => [`HostConfig.${name}`, expected])
    await expectSettings({ HostConfig }, Object.fromEntries(places))
    // By its other name.
    const { Id } = (await create('1.25', { HostConfig: { CpuRtRuntime: 2_000 } })).body
    expect((await inspect(Id)).HostConfig).toMatchObject({ CpuRealtimeRuntime: 2_000, CpuRtRuntime: 2_000 })
  })

  it('ENG-154 ENG-163 ENG-167 ENG-241 ENG-251 ENG-252 ENG-255 ENG-258 that exclude those are so too', async () => {
    await engine.run('1.47', 'other')
    const { Id } = await inspect('other')
    const fields: Record<string, Setting> = {
      'HostConfig.NanoCpus': ['1.25+', 5e8],
      'HostConfig.Init': ['1.25+', true],
      'HostConfig.AutoRemove': ['1.25+', true],
      'HostConfig.ConsoleSize': ['1.42+', [24, 80]],
      'HostConfig.PidMode': ['1.24+', 'container:other', 'all'],
    }
    const HostConfig = {
      NanoCpus: 5e8,
      Init: true,
      AutoRemove: true,
      ConsoleSize: [24, 80],
      PidMode: 'container:other',
    }
    await expectSettings({ HostConfig }, fields)
    const byId = { HostConfig: { PidMode: `container:${Id}` } }
    await expectSettings(byId, { 'HostConfig.PidMode': ['1.24+', `container:${Id}`, 'all'] })
  })

  it('ENG-194 ENG-254 ENG-261 ENG-108 ENG-203 ENG-239 of the program are taken and read back from their version on', async () => {
    const Healthcheck = { Test: ['CMD', 'true'], Interval: 5e9, StartPeriod: 1e9, StartInterval: 2e9 }
    await expectSettings(
      { StopSignal: 'SIGUSR1', StopTimeout: 0, Healthcheck },
      {
        'Config.StopSignal': ['1.21+', 'SIGUSR1'],
        'Config.StopTimeout': ['1.25+', 0],
        'Config.Healthcheck.StartInterval': ['1.44+', 2e9],
        'Config.Healthcheck.Interval': ['all', 5e9],
      },
    )
    expect((await create('1.47', { StopSignal: 'SIGODD' })).status).toBe(400)
  })

  it('ENG-100 ENG-107 ENG-111 ENG-112 ENG-122 ENG-139 ENG-149 ENG-150 ENG-151 ENG-152 ENG-155 ENG-220 ENG-221 ENG-224 ENG-237 ENG-238 ENG-242 ENG-249 ENG-253 of mounts are taken and read back from their version on', async () => {
    const bind = (Target: string, BindOptions: object) => ({
      Type: 'bind',
      Source: folder,
      Target,
      ReadOnly: true,
      BindOptions,
    })
    const Mounts = [
      { Type: 'tmpfs', Target: '/t', TmpfsOptions: { SizeBytes: 4096, Mode: 448, Options: [['noexec']] } },
      { Type: 'volume', Source: 'vol', Target: '/v', VolumeOptions: { Subpath: 'a/b' }, Consistency: 'cached' },
      bind('/b', { NonRecursive: true, CreateMountpoint: true, ReadOnlyNonRecursive: true }),
      bind('/c', { ReadOnlyForceRecursive: true }),
    ]
    await expectSettings(
      { HostConfig: { Mounts } },
      {
        'HostConfig.Mounts.0.Type': ['1.25+', 'tmpfs'],
        'HostConfig.Mounts.0.TmpfsOptions.SizeBytes': ['1.25+', 4096],
        'HostConfig.Mounts.0.TmpfsOptions.Options': ['1.46+', [['noexec']]],
        'HostConfig.Mounts.1.Source': ['1.25+', 'vol'],
        'HostConfig.Mounts.1.VolumeOptions.Subpath': ['1.45+', 'a/b'],
        'HostConfig.Mounts.1.Consistency': ['1.28+', 'cached'],
        'HostConfig.Mounts.2.BindOptions.NonRecursive': ['1.40+', true],
        'HostConfig.Mounts.2.BindOptions.CreateMountpoint': ['1.42+', true],
        'HostConfig.Mounts.3.BindOptions.ReadOnlyForceRecursive': ['1.44+', true],
      },
    )
    // Callers up to 1.43 never had more than the top read-only: theirs say so.
    const { body } = await create('1.47', { HostConfig: { Mounts } })
    const shown = await inAllVersions(engine, `/containers/${body.Id}/json`)
    const place = 'HostConfig.Mounts.2.BindOptions.ReadOnlyNonRecursive'
    expect(spans(shown, [place])).toEqual({ [place]: '1.44+' })
    for (const Consistency of ['default', 'consistent', 'cached', 'delegated']) {
      const { status, body: made } = await create('1.28', { HostConfig: { Mounts: [{ ...Mounts[1], Consistency }] } })
      expect([status, (await inspect(made.Id, '1.28')).HostConfig.Mounts[0].Consistency]).toEqual([201, Consistency])
    }
  })

  it('ENG-193 ENG-262 name the driver of volumes in HostConfig from 1.21 on, and in Config before', async () => {
    const among = around('1.21')
    const isLocal = (told: Told) => spanOf((version) => told.get(version).HostConfig.VolumeDriver === 'local', among)
    expect(isLocal(await madeIn(among, { VolumeDriver: 'local' }))).toBe('to 1.20')
    expect(isLocal(await madeIn(among, { HostConfig: { VolumeDriver: 'local' } }))).toBe('1.21+')
    const { Id } = (await create('1.47', { HostConfig: { VolumeDriver: 'local' } })).body
    const shown = await inAllVersions(engine, `/containers/${Id}/json`)
    expect(spans(shown, ['HostConfig.VolumeDriver', 'Config.VolumeDriver'])).toEqual({
      ...{ 'HostConfig.VolumeDriver': '1.21+', 'Config.VolumeDriver': 'to 1.20' },
    })
    const missing = await create('1.47', { HostConfig: { Binds: ['data:/a'], VolumeDriver: 'other' } })
    expect([missing.status, missing.body.message]).toEqual([400, expect.stringContaining('plugin "other" not found')])
  })

  it('ENG-184 have none for LXC from 1.22 on', async () => {
    const { Id } = (await create('1.21', { HostConfig: { LxcConf: [{ Key: 'a', Value: 'b' }] } })).body
    const shown = await inAllVersions(engine, `/containers/${Id}/json`)
    expect(spans(shown, ['HostConfig.LxcConf'])).toEqual({ 'HostConfig.LxcConf': 'to 1.21' })
  })

  it('ENG-120 ENG-135 ENG-185 ENG-186 ENG-196 ENG-222 ENG-223 ENG-243 ENG-310 of kernel memory are passed over from 1.42 on', async () => {
    const four = 4 << 20
    const among = around('1.21', '1.22', '1.42')
    const made = await madeIn(among, { HostConfig: { KernelMemory: four } })
    expect(spanOf((version) => made.get(version).HostConfig.KernelMemory === four, among)).toBe('1.21-1.41')
    const { Id } = (await create('1.41', { HostConfig: { KernelMemory: four } })).body
    const shown = await inAllVersions(engine, `/containers/${Id}/json`)
    expect(spanOf((version) => shown.get(version).HostConfig.KernelMemory === four)).toBe('1.21+')
    const refused = new Map<string, string>()
    for (const version of among) {
      const { status, body } = await create(version, { HostConfig: { KernelMemory: four - 1 } })
      if (status !== 201) refused.set(version, `${status} ${body.message ?? body}`.trim())
    }
    expect(spanOf((version) => refused.has(version), among)).toBe('1.22-1.41')
    expect([...new Set(refused.values())]).toEqual(['400 Minimum kernel memory limit allowed is 4MB'])
    const unset = await inAllVersions(engine, `/containers/${(await create('1.47', {})).body.Id}/json`)
    const names = ['HostConfig.KernelMemory', 'HostConfig.KernelMemoryTCP']
    expect(spans(unset, names)).toEqual({ [`${names[0]}`]: '1.21-1.41', [`${names[1]}`]: '1.40-1.41' })
    const update = (version: string, KernelMemory: number) =>
      engine.call('POST', `/v${version}/containers/${Id}/update`, { KernelMemory })
    expect((await update('1.42', 8 << 20)).status).toBe(200)
    expect((await inspect(Id)).HostConfig.KernelMemory).toBe(four)
    expect((await update('1.41', 8 << 20)).status).toBe(200)
    expect((await inspect(Id)).HostConfig.KernelMemory).toBe(8 << 20)
  })

  it('ENG-142 ENG-146 ENG-147 ENG-148 ENG-247 ENG-248 of shared memory are private, shareable and none from 1.32 on; private unless said from 1.40 on', async () => {
    for (const IpcMode of ['private', 'none']) {
      await expectSettings({ HostConfig: { IpcMode } }, { 'HostConfig.IpcMode': ['1.32+', IpcMode, 'all'] })
    }
    const among = around('1.32', '1.40')
    const modes = async (HostConfig: object, mode: string) => {
      const made = await madeIn(among, { HostConfig })
      return spanOf((version) => made.get(version).HostConfig.IpcMode === mode, among)
    }
    expect(await modes({ IpcMode: 'shareable' }, 'shareable')).toBe('all')
    expect([await modes({}, 'private'), await modes({}, 'shareable')]).toEqual(['1.40+', 'to 1.39'])
    expect((await create('1.47', { HostConfig: { IpcMode: 'odd' } })).status).toBe(400)
    const seen = 'ls -d /dev/shm 2> /dev/null; readlink /proc/self/ns/ipc'
    await engine.run('1.47', 'none', { HostConfig: { IpcMode: 'none' } })
    expect(await engine.inside('none', seen)).toMatch(/^ipc:/)
    await engine.run('1.47', 'shares', { HostConfig: { IpcMode: 'shareable' } })
    await engine.run('1.47', 'joins', { HostConfig: { IpcMode: 'container:shares' } })
    await engine.inside('shares', 'echo word > /dev/shm/said')
    expect(await engine.inside('joins', `cat /dev/shm/said; ${seen}`)).toBe(
      `word\n${await engine.inside('shares', seen)}`,
    )
    await engine.run('1.47', 'keeps', { HostConfig: { IpcMode: 'private' } })
    const { body } = await create('1.47', { HostConfig: { IpcMode: 'container:keeps' } })
    expect((await engine.call('POST', `/containers/${body.Id}/start`)).status).toBe(409)
  })

  it('ENG-145 of ports may be of SCTP from 1.37 on', async () => {
    const body = { ExposedPorts: { '80/tcp': {}, '5000/sctp': {} } }
    await expectSettings(body, { 'Config.ExposedPorts.80/tcp': ['all', {}] })
    const made = await madeIn(around('1.37'), body)
    expect(spans(made, ['Config.ExposedPorts.5000/sctp'])).toEqual({ 'Config.ExposedPorts.5000/sctp': '1.37+' })
    const HostConfig = { PublishAllPorts: true }
    const id = await engine.run('1.47', 'sctp', { ...body, HostConfig })
    expect((await inspect(id)).NetworkSettings.Ports['5000/sctp'][0].HostPort).toMatch(/^\d+$/)
  })
})
