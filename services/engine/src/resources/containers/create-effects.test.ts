// What a container may be created with, on a real machine and in every version that has a say in it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { around, spanOf, versions } from '../../testing/by-version.ts'
import { busybox, startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
const create = (version: string, body: object, query = '') =>
  engine.call('POST', `/v${version}/containers/create${query}`, { Image: 'busybox', Cmd: ['sleep', '9'], ...body })
const inspect = async (version: string, id: string) =>
  (await engine.call('GET', `/v${version}/containers/${id}/json`)).body

beforeAll(async () => {
  engine = await startWholeEngine()
})
afterAll(() => engine?.stop())

describe('a new container', () => {
  it('ENG-130 is refused with 404 from 1.41 on when its image is here for another platform only', async () => {
    const foreign = process.arch === 'arm64' ? 'linux/amd64' : 'linux/arm64'
    const imported = await engine.call('POST', `/images/create?fromSrc=-&repo=foreign&platform=${foreign}`, busybox())
    expect(imported.status).toBe(200)
    const native = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64'
    const asked = { Image: 'foreign' }
    for (const version of ['1.41', '1.47']) {
      const { status, body } = await create(version, asked, `?platform=${native}`)
      expect([status, body.message]).toEqual([404, expect.stringContaining('does not match the specified platform')])
      expect((await create(version, asked, `?platform=${foreign}`)).status).toBe(201)
    }
    // Before, nobody was asked for a platform.
    expect((await create('1.40', asked, `?platform=${native}`)).status).toBe(201)
  })

  it('ENG-144 shares its memory with others up to 1.39, and keeps it for itself from 1.40 on', async () => {
    await engine.run('1.39', 'giver')
    await engine.run('1.40', 'keeper')
    expect((await inspect('1.39', 'giver')).HostConfig.IpcMode).toBe('shareable')
    expect((await inspect('1.40', 'keeper')).HostConfig.IpcMode).toBe('private')
    await engine.inside('giver', 'echo given > /dev/shm/word')
    await engine.run('1.47', 'taker', { HostConfig: { IpcMode: 'container:giver' } })
    expect(await engine.inside('taker', 'cat /dev/shm/word')).toBe('given\n')
    const { body } = await create('1.47', { HostConfig: { IpcMode: 'container:keeper' } })
    const start = await engine.call('POST', `/containers/${body.Id}/start`)
    expect([start.status, start.body.message]).toEqual([409, expect.stringContaining('non-shareable IPC')])
  })

  it('ENG-206 names its runtime in the same way in all versions', async () => {
    for (const version of versions) {
      const { body } = await create(version, { HostConfig: { Runtime: 'runc' } })
      expect((await inspect(version, body.Id)).HostConfig.Runtime, version).toBe('runc')
      const refused = await create(version, { HostConfig: { Runtime: 'unheard' } })
      const words = String(refused.body.message ?? refused.body).trim()
      expect([refused.status, words], version).toEqual([400, 'unknown or invalid runtime name: unheard'])
    }
    // docker-py puts it beside HostConfig.
    const { body } = await create('1.47', { Runtime: 'runc' })
    expect((await inspect('1.47', body.Id)).HostConfig.Runtime).toBe('runc')
    expect((await create('1.47', { Runtime: 'unheard' })).status).toBe(400)
  })

  it('ENG-170 ENG-259 reads back its storage options from 1.24 on, and is told that they have no effect', async () => {
    const { body } = await create('1.24', { HostConfig: { StorageOpt: { size: '1G' } } })
    expect(body.Warnings).toEqual([expect.stringMatching(/^StorageOpt size has no effect/)])
    expect((await inspect('1.24', body.Id)).HostConfig.StorageOpt).toEqual({ size: '1G' })
    expect((await inspect('1.23', body.Id)).HostConfig).not.toHaveProperty('StorageOpt')
    const older = await create('1.23', { HostConfig: { StorageOpt: { size: '1G' } } })
    expect((await inspect('1.47', older.body.Id)).HostConfig).not.toHaveProperty('StorageOpt')
  })

  it('ENG-207 ENG-273 reads back a device of Windows in all versions; on this host it does not start with it', async () => {
    const PathOnHost = 'class://5B45201D-F2F2-4F3B-85BB-30FF1F953599'
    for (const version of versions) {
      const { status, body } = await create(version, { HostConfig: { Devices: [{ PathOnHost }] } })
      expect(status, version).toBe(201)
      expect(body.Warnings).toEqual([expect.stringContaining('is of Windows')])
      expect((await inspect(version, body.Id)).HostConfig.Devices[0].PathOnHost, version).toBe(PathOnHost)
    }
    const { body } = await create('1.47', { HostConfig: { Devices: [{ PathOnHost }] } })
    const start = await engine.call('POST', `/containers/${body.Id}/start`)
    expect(start.body.message).toContain('no such device on the host')
  })
})

describe('creating a container', () => {
  const answer = async (version: string, body: object, query = '') => {
    const { status, body: told } = await create(version, body, query)
    return [status, String(told.message ?? told.Id ?? told).trim()]
  }

  it('ENG-176 without a command is refused with 400 from 1.24 on, and with 500 before', async () => {
    const imported = await engine.call('POST', '/images/create?fromSrc=-&repo=bare', busybox())
    expect(imported.status).toBe(200)
    const told = new Map<string, unknown[]>()
    const among = around('1.24')
    for (const version of among) told.set(version, await answer(version, { Image: 'bare', Cmd: null }))
    expect(spanOf((version) => told.get(version)?.[0] === 500, among)).toBe('to 1.23')
    expect(spanOf((version) => told.get(version)?.[0] === 400, among)).toBe('1.24+')
    for (const [, words] of told.values()) expect(words).toMatch(/^no command specified$/i)
    expect((await create('1.47', { Image: 'bare', Cmd: ['sh'] })).status).toBe(201)
  })

  it('ENG-127 ENG-128 ENG-129 ENG-131 ENG-132 goes by the platform that is asked for from 1.41 on, and warns of one that was not', async () => {
    const [native, foreign] = process.arch === 'arm64' ? ['arm64', 'amd64'] : ['amd64', 'arm64']
    await engine.call('POST', `/images/create?fromSrc=-&repo=elsewhere&platform=linux/${foreign}`, busybox())
    await engine.call('POST', '/images/create?fromSrc=-&repo=small&platform=linux/arm/v7', busybox())
    for (const [Image, platform] of [
      ['busybox', 'linux'],
      ['busybox', `linux/${native}`],
      ['elsewhere', `linux/${foreign}`],
      ['small', 'linux/arm/v7'],
    ]) {
      const { status, body } = await create('1.41', { Image }, `?platform=${platform}`)
      expect([platform, status, body.Warnings]).toEqual([platform, 201, []])
    }
    expect((await create('1.41', {}, '?platform=a/b/c/d')).status).toBe(400)
    const warned = new RegExp(`platform \\(linux/${foreign}\\) does not match the detected host platform`)
    for (const version of ['1.41', '1.47']) {
      const { status, body } = await create(version, { Image: 'elsewhere' })
      expect([status, body.Warnings]).toEqual([201, [expect.stringMatching(warned)]])
    }
    expect((await create('1.40', { Image: 'elsewhere' })).status).toBe(201)
  })

  it('ENG-115 ENG-205 is told all that is wrong at once, with 400, in every version', async () => {
    const wrong = {
      WorkingDir: 'here',
      HostConfig: { Binds: ['x'], Memory: 1000, OomScoreAdj: 9_999, CapAdd: ['magic'] },
    }
    for (const version of versions) {
      const [status, message] = await answer(version, wrong)
      expect([version, status]).toEqual([version, 400])
      for (const words of [
        'working directory',
        'Minimum memory limit',
        'CAP_MAGIC',
        "invalid volume specification: 'x'",
      ]) {
        expect(message, version).toContain(words)
      }
    }
  })

  it('ENG-169 ENG-172 checks the restart policy from 1.25 on, and the name from 1.24 on', async () => {
    const policy = { HostConfig: { RestartPolicy: { Name: 'sometimes' } } }
    const statuses = new Map<string, unknown[]>()
    const among = around('1.24', '1.25')
    for (const version of among) {
      statuses.set(version, [(await answer(version, policy))[0], (await answer(version, { Hostname: 'no_score' }))[0]])
    }
    expect(spanOf((version) => statuses.get(version)?.[0] === 400, among)).toBe('1.25+')
    expect(spanOf((version) => statuses.get(version)?.[1] === 400, among)).toBe('1.24+')
    expect((await answer('1.47', policy))[1]).toContain("unknown policy 'sometimes'")
    expect((await answer('1.47', { Hostname: 'no_score' }))[1]).toContain('invalid hostname format: no_score')
    expect((await answer('1.24', { Hostname: 'web-1' }))[0]).toBe(201)
  })

  it('ENG-105 ENG-106 moves kernel settings of the first interface to its endpoint for callers up to 1.46', async () => {
    const asked = { HostConfig: { Sysctls: { 'net.ipv4.conf.eth0.log_martians': '1', 'kernel.msgmax': '2048' } } }
    const id = await engine.run('1.46', 'moved', asked)
    const inspected = await inspect('1.47', id)
    expect(inspected.HostConfig.Sysctls).toEqual({ 'kernel.msgmax': '2048' })
    expect(inspected.NetworkSettings.Networks.bridge.DriverOpts).toEqual({
      'com.docker.network.endpoint.sysctls': 'net.ipv4.conf.IFNAME.log_martians=1',
    })
    const script = 'cat /proc/sys/net/ipv4/conf/eth0/log_martians /proc/sys/kernel/msgmax'
    expect(await engine.inside(id, script)).toBe('1\n2048\n')
    const [status, message] = await answer('1.47', asked)
    expect([status, message]).toEqual([400, expect.stringContaining('must be supplied using driver option')])
  })

  it('ENG-164 ENG-165 ENG-166 takes log options from 1.25 on, and everything that is said gets into the log', async () => {
    const options = { mode: 'non-blocking', 'max-buffer-size': '4m' }
    const config = (Config: object) => ({ HostConfig: { LogConfig: { Type: 'json-file', Config } } })
    const made = new Map<string, unknown>()
    const among = around('1.25')
    for (const version of among) {
      const { body } = await create(version, config(options))
      made.set(version, (await inspect('1.47', body.Id)).HostConfig.LogConfig.Config)
    }
    const given = (names: readonly string[]) => (version: string) =>
      names.every((name) => name in (made.get(version) as object))
    expect(spanOf(given(['mode', 'max-buffer-size']), among)).toBe('1.25+')
    expect(spanOf((version) => Object.keys(made.get(version) as object).length === 0, among)).toBe('to 1.24')
    const script = 'i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done'
    for (const Config of [{ mode: 'blocking' }, options]) {
      const id = await engine.run('1.25', '', { Cmd: ['sh', '-c', script], ...config(Config) })
      await engine.call('POST', `/containers/${id}/wait`)
      const said = await engine.client.logs(id)
      expect(said.split('\n').length).toBe(3_001)
    }
    for (const Config of [{ mode: 'odd' }, { odd: '1' }, { mode: 'non-blocking', 'max-buffer-size': 'big' }]) {
      expect((await create('1.25', config(Config))).status).toBe(400)
    }
  })

  it('ENG-108 ENG-203 takes a health check, and looks often while it starts, from 1.44 on', async () => {
    const check = {
      Test: ['CMD-SHELL', 'test -f /healthy'],
      ...{ Interval: 3600e9, StartPeriod: 3600e9, StartInterval: 1e8, Retries: 1 },
    }
    await engine.run('1.44', 'checked', { Healthcheck: check })
    const status = async (name: string) => (await inspect('1.47', name)).State.Health.Status
    expect(await status('checked')).toBe('starting')
    await engine.inside('checked', 'touch /healthy')
    await expect.poll(() => status('checked'), { timeout: 20_000 }).toBe('healthy')
    await engine.run('1.43', 'rarely', { Healthcheck: check })
    await engine.inside('rarely', 'touch /healthy')
    // Its first look is an hour away.
    expect((await inspect('1.47', 'rarely')).Config.Healthcheck.StartInterval ?? 0).toBe(0)
    expect(await status('rarely')).toBe('starting')
    await engine.run('1.18', 'failing', { Healthcheck: { Test: ['CMD', 'false'], Interval: 1e8, Retries: 2 } })
    await expect.poll(() => status('failing'), { timeout: 20_000 }).toBe('unhealthy')
    for (const name of ['checked', 'rarely', 'failing']) await engine.call('DELETE', `/containers/${name}?force=1`)
  })
})
