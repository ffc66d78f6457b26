// Plugins of a whole engine: installed from archives and registries, run in the real runtime, and used by containers.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inHeader } from '../../images/registry/testing/registry-api.ts'
import { hasRegistry, registryUser } from '../../images/registry/testing/registry-server.ts'
import { sampleConfig, samplePlugin } from '../../plugins/testing/sample-plugin.ts'
import { around, spanOf } from '../../testing/by-version.ts'
import type { Calls } from '../../testing/isolated.ts'
import { pastEvents } from '../../testing/past-events.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

type RegistryMachine = typeof import('../../images/registry/testing/registry-machine.ts')

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
}, 120_000)
afterAll(() => engine?.stop())

const filter = (filters: object) => `filters=${encodeURIComponent(JSON.stringify(filters))}`
const post = (path: string, body?: unknown) => engine.call('POST', path, body)
const create = async (name: string, config?: object) => {
  const { status, body } = await post(`/plugins/create?name=${name}`, await samplePlugin(config))
  expect([status, body]).toEqual([204, ''])
}
const enable = async (name: string) => expect((await post(`/plugins/${name}/enable?timeout=20`)).body).toBe('')
const inspect = async (name: string) => (await engine.call('GET', `/plugins/${name}/json`)).body
const remove = (name: string) => engine.call('DELETE', `/plugins/${name}?force=1`)
const volume = async (name: string) => (await engine.call('GET', `/volumes/${name}`)).body
/** What the plugin sees of itself. */
const seen = async () => (await volume('self')).Status
const told = async (id: string) =>
  (await pastEvents(engine)).flatMap(({ Action, Actor }) => (Actor.ID === id ? [Action] : []))

describe('plugins', () => {
  it('ENG-631 ENG-633 ENG-635 ENG-636 ENG-638 ENG-639 are made, enabled, disabled and removed, from 1.25 on', async () => {
    await create('team/sample')
    const made = await inspect('team/sample')
    expect(made).toMatchObject({
      ...{ Name: 'team/sample:latest', Enabled: false, PluginReference: 'docker.io/team/sample:latest' },
      Config: { Interface: { Socket: 'sample.sock' }, PropagatedMount: '/mnt/volumes', rootfs: { type: 'layers' } },
      Settings: { Env: ['DEBUG=0', 'FIXED=1'], Args: ['first'], Mounts: [], Devices: [] },
    })
    const spanned = new Map<string, number>()
    for (const version of around('1.25')) {
      spanned.set(version, (await engine.call('GET', `/v${version}/plugins`)).status)
      expect((await engine.call('GET', `/v${version}/plugins/team/sample/json`)).status).toBe(spanned.get(version))
    }
    expect(spanOf((version) => spanned.get(version) === 200, around('1.25'))).toBe('1.25+')
    expect((await post('/v1.24/plugins/team/sample/enable')).status).toBe(404)
    expect((await post('/v1.25/plugins/team/sample/enable')).status).toBe(200)
    expect((await inspect(made.Id.slice(0, 12))).Enabled).toBe(true)
    const again = await post('/plugins/team/sample/enable')
    expect([again.status, again.body.message]).toEqual([409, 'plugin team/sample:latest is already enabled'])
    expect((await engine.call('DELETE', '/plugins/team/sample')).status).toBe(409)
    expect((await post('/v1.25/plugins/team/sample/disable')).status).toBe(200)
    expect((await post('/plugins/team/sample/disable')).status).toBe(409)
    expect((await engine.call('DELETE', '/plugins/team/sample')).body).toMatchObject({ Id: made.Id, Enabled: false })
    expect((await engine.call('GET', '/plugins')).body).toEqual([])
    const missing = await engine.call('GET', '/plugins/team/sample/json')
    expect([missing.status, missing.body.message]).toEqual([404, 'plugin "team/sample" not found'])
    expect(await told(made.Id)).toEqual(['create', 'enable', 'disable', 'remove'])
  })

  it('ENG-053 are listed by what they can do and whether they do it, and among the drivers of the engine', async () => {
    await create('sample')
    const names = async (filters: object) =>
      (await engine.call('GET', `/plugins?${filter(filters)}`)).body.map(({ Name }: { Name: string }) => Name)
    const drivers = async () => (await engine.call('GET', '/info')).body.Plugins
    expect(await names({ enabled: ['true'] })).toEqual([])
    expect(await names({ enable: { false: true }, capability: ['volumedriver'] })).toEqual(['sample:latest'])
    expect(await names({ capability: ['networkdriver'] })).toEqual([])
    expect((await engine.call('GET', `/plugins?${filter({ size: ['1'] })}`)).status).toBe(400)
    expect((await drivers()).Volume).toEqual(['local'])
    await enable('sample')
    expect(await names({ enabled: ['true'] })).toEqual(['sample:latest'])
    expect((await drivers()).Volume).toEqual(['local', 'sample:latest'])
    expect((await drivers()).Log).toContain('sample:latest')
    const logs = async (version: string) => (await engine.call('GET', `/v${version}/info`)).body.Plugins.Log
    expect([await logs('1.29'), await logs('1.30')]).toEqual([undefined, (await drivers()).Log])
    await remove('sample')
  })

  it('ENG-634 are set while they are disabled, where their configuration lets them', async () => {
    await create('sample', { mounts: [{ name: 'given', settable: ['source'], destination: '/state', type: 'bind' }] })
    const set = (...changes: string[]) => post('/plugins/sample/set', changes)
    expect((await post('/v1.25/plugins/sample/set', ['DEBUG=told', 'args=one two'])).status).toBe(204)
    expect((await set('given.source=relative')).status).toBe(400)
    expect((await set('given.source=/tmp')).status).toBe(204)
    for (const wrong of ['FIXED=2', 'NONE=1', 'given.destination=/x', 'DEBUG.name=x', 'nothing']) {
      expect([wrong, (await set(wrong)).status]).toEqual([wrong, 400])
    }
    const { Settings } = await inspect('sample')
    expect(Settings).toMatchObject({
      Env: ['FIXED=1', 'DEBUG=told'],
      Args: ['one', 'two'],
      Mounts: [{ Source: '/tmp' }],
    })
    await enable('sample')
    expect(await seen()).toMatchObject({ debug: 'told', argument: 'one', cwd: '/srv', uid: 0 })
    expect((await set('DEBUG=1')).status).toBe(409)
    await remove('sample')
  })

  it('get what their configuration asks for and nothing else', async () => {
    const adminBit = 1n << 21n
    const capsOf = async () => BigInt(`0x${(await seen()).caps}`)
    await create('bare', { linux: {}, network: {} })
    await enable('bare')
    expect(await seen()).toMatchObject({ links: 1, kmsg: false, null: true })
    expect((await capsOf()) & adminBit).toBe(0n)
    await remove('bare')
    const devices = [{ name: 'kmsg', path: '/dev/kmsg' }]
    await create('more', { linux: { capabilities: ['CAP_SYS_ADMIN'], devices }, network: { type: 'host' } })
    await enable('more')
    const links = (await engine.host.run('ip', ['-br', 'link'])).stdout.trim().split('\n').length
    expect(await seen()).toMatchObject({ links, kmsg: true })
    expect((await capsOf()) & adminBit).toBe(adminBit)
    await remove('more')
  })

  it('that do not come up are told why, and leave nothing behind', async () => {
    await create('sample')
    const failing = async (debug: string, timeout: number) => {
      await post('/plugins/sample/set', [`DEBUG=${debug}`])
      const { status, body } = await post(`/plugins/sample/enable?timeout=${timeout}`)
      expect(status).toBe(500)
      expect((await inspect('sample')).Enabled).toBe(false)
      return body.message
    }
    expect(await failing('die', 20)).toContain('ended before it listened, and said: sample: told to die')
    expect(await failing('silent', 1)).toContain('did not listen on sample.sock within 1 s')
    expect(await failing('link', 1)).toContain('did not listen on sample.sock')
    await post('/plugins/sample/set', ['DEBUG=0'])
    await enable('sample')
    await remove('sample')
  })

  it('of kinds that this engine has no use for are refused when they are enabled', async () => {
    const types = ['docker.networkdriver/1.0', 'docker.authz/1.0']
    await create('sample', { interface: { ...sampleConfig.interface, types } })
    const { status, body } = await post('/plugins/sample/enable')
    expect(status).toBe(501)
    expect(body.message).toContain('no use for network drivers (docker.networkdriver/1.0)')
    await remove('sample')
  })

  it('are refused with archives and configurations that cannot be', async () => {
    const refused: [config: object, words: string][] = [
      [{ interface: { types: [], socket: '../../engine.sock' } }, 'no plain file name'],
      [{ propagatedMount: '/mnt/../../etc' }, 'propagatedMount'],
      [{ propagatedMount: '/proc/x' }, 'propagatedMount'],
      [{ mounts: [{ source: '/etc', destination: '../x', type: 'bind' }] }, 'destination'],
      [{ mounts: [{ source: 'etc', destination: '/x', type: 'bind' }] }, 'source'],
      [{ mounts: [{ source: 'x', destination: '/x', type: 'overlay' }] }, 'neither bind nor tmpfs'],
      [{ linux: { capabilities: ['CAP_EVERYTHING'] } }, 'unknown capability'],
      [{ linux: { devices: [{ name: 'disk', path: '/etc/passwd' }] } }, 'below /dev'],
      [{ network: { type: 'container:x' } }, 'network type'],
      [{ entrypoint: [] }, 'no entrypoint'],
      [{ description: 'x'.repeat(2 * 1024 * 1024) }, 'bytes'],
    ]
    for (const [config, words] of refused) {
      const { status, body } = await post('/plugins/create?name=odd', await samplePlugin(config))
      expect([status, body.message]).toEqual([400, expect.stringContaining(words)])
    }
    expect((await post('/plugins/create?name=odd', Buffer.from('no archive'))).status).toBe(400)
    expect((await post('/plugins/create', await samplePlugin())).status).toBe(400)
    expect((await post('/plugins/create?name=UPPER', await samplePlugin())).status).toBe(400)
    await create('odd')
    expect((await post('/plugins/create?name=odd:latest', await samplePlugin())).status).toBe(409)
    await remove('odd')
    expect((await engine.call('GET', '/plugins')).body).toEqual([])
  })
})

describe('a volume of a plugin', () => {
  beforeAll(async () => {
    await create('sample')
    await enable('sample')
  })
  afterAll(() => remove('sample'))

  const make = (Name: string, DriverOpts: object = {}) =>
    post('/volumes/create', { Name, Driver: 'sample', DriverOpts })
  const mounts = async (name: string) => (await volume(name)).Status.mounts

  it('is made by it, and told as it tells of it', async () => {
    const made = await make('data', { colour: 'red' })
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ Name: 'data', Driver: 'sample:latest', Scope: 'global', Options: { colour: 'red' } }),
    ])
    expect(made.body.Mountpoint).toMatch(/propagated\/data$/)
    const listed = (await engine.call('GET', '/volumes')).body
    expect(listed).toMatchObject({ Volumes: [{ Name: 'data', Driver: 'sample:latest' }], Warnings: [] })
    const other = await post('/volumes/create', { Name: 'data', Driver: 'sample:latest' })
    expect(other.status).toBe(201)
    expect((await make('full', { fail: '1' })).body.message).toContain('VolumeDriver.Create: no room for full')
  })

  it('is mounted for each container that runs, and unmounted with the last', async () => {
    const settings = { HostConfig: { Binds: ['data:/data'] } }
    await engine.run('1.47', 'one', settings)
    await engine.inside('one', 'echo kept > /data/file; mount | grep " /data " | grep -q tmpfs')
    await engine.run('1.47', 'two', settings)
    expect(await engine.inside('two', 'cat /data/file')).toBe('kept\n')
    expect(await mounts('data')).toBe(2)
    const [point] = (await engine.call('GET', '/containers/two/json')).body.Mounts
    expect(point).toMatchObject({ Type: 'volume', Name: 'data', Driver: 'sample:latest' })
    expect(point.Source).toMatch(/propagated\/data$/)
    await post('/containers/one/stop?t=0')
    await expect.poll(() => mounts('data')).toBe(1)
    expect(await engine.inside('two', 'cat /data/file')).toBe('kept\n')
    expect((await post('/plugins/sample/disable')).body.message).toContain('is in use: volume data')
    await engine.call('DELETE', '/containers/two?force=1')
    await expect.poll(() => mounts('data')).toBe(0)
    expect((await engine.call('DELETE', '/volumes/data')).status).toBe(409)
    await engine.call('DELETE', '/containers/one?force=1')
    expect((await engine.call('DELETE', '/volumes/data')).status).toBe(204)
    expect((await engine.call('GET', '/volumes')).body.Volumes).toEqual([])
  })

  it('that leads out of its folder is refused', async () => {
    await make('outside', { link: '/etc' })
    await expect(engine.run('1.47', 'curious', { HostConfig: { Binds: ['outside:/data'] } })).rejects.toThrow(
      /500.*leads out of/,
    )
    await expect.poll(() => mounts('outside')).toBe(0)
    await engine.call('DELETE', '/containers/curious?force=1')
    expect((await engine.call('DELETE', '/volumes/outside')).status).toBe(204)
  })

  it('whose plugin hangs holds up nobody else', async () => {
    await post('/plugins/sample/disable')
    await post('/plugins/sample/enable?timeout=2')
    const hanging = make('stuck', { hang: '1' })
    expect((await make('free')).status).toBe(201)
    expect((await post('/volumes/create', { Name: 'own' })).status).toBe(201)
    const { status, body } = await hanging
    expect([status, body.message]).toEqual([
      503,
      expect.stringContaining('did not answer VolumeDriver.Create within 2 s'),
    ])
    for (const name of ['free', 'own']) expect((await engine.call('DELETE', `/volumes/${name}`)).status).toBe(204)
  })

  it('comes back with its plugin when that dies, and when the engine does', async () => {
    await make('data')
    expect((await make('last', { die: '1' })).status).toBe(500)
    await expect.poll(async () => (await make('next')).status, { timeout: 20_000 }).toBe(201)
    await engine.run('1.47', 'holder', { HostConfig: { Binds: ['data:/data'] } })
    await engine.restart()
    expect((await inspect('sample')).Enabled).toBe(true)
    expect(await mounts('data')).toBe(1)
    await engine.call('DELETE', '/containers/holder?force=1')
    await expect.poll(() => mounts('data')).toBe(0)
  })

  it('ENG-641 is lost to it by force from 1.28 on, and stays with the engine until it is removed', async () => {
    expect((await post('/v1.27/plugins/sample/disable?force=1')).status).toBe(409)
    expect((await post('/v1.28/plugins/sample/disable?force=1')).status).toBe(200)
    const failing = await engine.call('GET', '/volumes/data')
    expect([failing.status, failing.body.message]).toEqual([
      404,
      expect.stringContaining('plugin "sample:latest" not found'),
    ])
    await enable('sample')
    for (const name of ['data', 'next']) expect((await engine.call('DELETE', `/volumes/${name}`)).status).toBe(204)
  })
})

describe('a container whose log goes to a plugin', () => {
  let kept: (container: string) => string
  beforeAll(async () => {
    await create('sample')
    await enable('sample')
    const folder = join(dirname(engine.socketPath), 'engine/plugins/containers', (await inspect('sample')).Id)
    kept = (container) => join(folder, 'upper/logs', container)
  })
  afterAll(() => remove('sample'))

  const settings = (script: string, Config: object = {}) => ({
    Cmd: ['sh', '-c', script],
    HostConfig: { LogConfig: { Type: 'sample', Config } },
  })
  const waiting = 'echo out; echo err >&2; until [ -e /go ]; do sleep 0.1; done; echo later; sleep 3600'

  it('sends it every line, and gives back what it kept, also after a restart of the engine', async () => {
    const id = await engine.run('1.47', 'talker', settings(waiting, { colour: 'red' }))
    const has = (words: string) =>
      expect.poll(() => readFileSync(kept(id), 'latin1'), { timeout: 20_000 }).toContain(words)
    await has('out')
    await has('err')
    expect((await engine.client.logs('talker')).split('\n').sort()).toEqual(['', 'err', 'out'])
    await engine.restart()
    await engine.inside('talker', 'touch /go')
    await has('later')
    expect(await engine.client.logs('talker')).toContain('later\n')
    const [line] = await readLines(`/containers/talker/logs?stdout=1&timestamps=1&tail=all`)
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+Z out$/)
    writeFileSync(kept(id), '')
    expect(await engine.client.logs('talker')).toBe('')
    expect((await post('/plugins/sample/disable')).body.message).toContain('is in use: log of container talker')
    await engine.call('DELETE', '/containers/talker?force=1')
  })

  it('reads the log that the engine kept where the plugin gives none back', async () => {
    await post('/plugins/sample/disable')
    await post('/plugins/sample/set', ['DEBUG=unread'])
    await enable('sample')
    const id = await engine.run('1.47', 'quiet', settings('echo kept; sleep 3600'))
    await expect.poll(() => readFileSync(kept(id), 'latin1'), { timeout: 20_000 }).toContain('kept')
    writeFileSync(kept(id), '')
    expect(await engine.client.logs('quiet')).toBe('kept\n')
    await engine.call('DELETE', '/containers/quiet?force=1')
  })

  it('does not start when the plugin refuses it, or is not there', async () => {
    await expect(engine.run('1.47', 'refused', settings('true', { refuse: 'yes' }))).rejects.toThrow(
      /500.*failed to initialize logging driver: LogDriver.StartLogging: option refuse is yes/,
    )
    await post('/plugins/sample/disable')
    const started = await post('/containers/refused/start')
    expect([started.status, started.body.message]).toEqual([
      500,
      expect.stringContaining('plugin sample:latest is disabled'),
    ])
    await engine.call('DELETE', '/containers/refused?force=1')
    const made = await post('/containers/create?name=never', { Image: 'busybox', ...settings('true') })
    expect([made.status, made.body.message]).toEqual([400, "logger: no log driver named 'sample' is registered"])
  })

  const readLines = async (path: string): Promise<string[]> => {
    const { body } = await engine.client.call('GET', path)
    const frameBytes = 8
    return [
      body
        .subarray(frameBytes, frameBytes + body.readUInt32BE(4))
        .toString()
        .trimEnd(),
    ]
  }
})

interface Told {
  status: number
  called: string | undefined
  isInChunks: boolean
  text: string
}

describe.skipIf(!hasRegistry)('a plugin in a registry (package docker-registry)', () => {
  let machine: Calls<RegistryMachine>
  let folder: string
  let name: string
  beforeAll(async () => {
    folder = mkdtempSync('/tmp/atoll-plugins-')
    machine = await engine.host.module<RegistryMachine>(
      new URL('../../images/registry/testing/registry-machine.ts', import.meta.url),
    )
    name = `${(await machine.start(folder)).withPasswords}/team/sample`
  })
  afterAll(async () => {
    await machine?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** With the password of the registry. `isInChunks`: as docker-py needs it to read progress. */
  const ask = (method: string, path: string, body?: unknown) =>
    new Promise<Told>((resolve, reject) => {
      const headers = { 'x-registry-auth': inHeader(registryUser), 'content-type': 'application/json' }
      const sent = request({ method, path, headers, socketPath: engine.socketPath }, (answer) => {
        const { statusCode: status = 0, headers: given } = answer
        const called = given['docker-plugin-name']?.toString()
        const isInChunks = given['transfer-encoding'] === 'chunked'
        text(answer).then((all) => resolve({ status, called, isInChunks, text: all }), reject)
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  const privileges = async () => JSON.parse((await ask('GET', `/plugins/privileges?remote=${name}`)).text)
  const lines = (all: string) =>
    all
      .trim()
      .split('\r\n')
      .map((line) => JSON.parse(line))
  const admin = { Name: 'capabilities', Value: ['CAP_SYS_ADMIN'] }

  it('ENG-632 ENG-637 is pushed, shows what it wants, and is pulled by whoever grants just that', async () => {
    await create(name)
    const { Id, Config } = await inspect(name)
    const pushed = await ask('POST', `/v1.25/plugins/${name}/push`)
    expect(lines(pushed.text).at(-1).status).toMatch(/^latest: digest: sha256:/)
    expect(await told(Id)).toEqual(['create', 'push'])
    await remove(name)
    expect((await engine.call('GET', `/plugins/privileges?remote=${name}`)).status).toBe(401)
    const wanted = await privileges()
    expect(wanted).toEqual([{ ...admin, Description: expect.any(String) }])
    for (const granted of [
      [],
      [{ ...admin, Value: ['CAP_CHOWN'] }],
      [...wanted, { Name: 'network', Value: ['host'] }],
    ]) {
      const refused = await ask('POST', `/plugins/pull?remote=${name}`, granted)
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('incorrect privileges')])
    }
    expect((await engine.call('GET', '/plugins')).body).toEqual([])
    const pulled = await ask('POST', `/v1.25/plugins/pull?remote=${name}&name=mine`, wanted)
    expect(pulled).toMatchObject({ status: 200, called: 'mine:latest', isInChunks: true })
    expect(lines(pulled.text).map(({ status }) => status)).toContain('Download complete')
    const mine = await inspect('mine')
    expect(mine).toMatchObject({ Name: 'mine:latest', PluginReference: `${name}:latest`, Enabled: false })
    expect(mine.Config).toEqual(Config)
    await enable('mine')
    expect((await ask('POST', `/plugins/pull?remote=${name}&name=mine`, wanted)).status).toBe(409)
    expect((await ask('POST', `/images/create?fromImage=${name}&tag=latest`)).text).toContain('this is no image')
  })

  it('ENG-640 replaces the one that is here when that is disabled, from 1.26 on', async () => {
    await create(name, { description: 'The second', linux: {}, env: [] })
    await ask('POST', `/plugins/${name}/push`)
    await remove(name)
    const upgrade = (version: string, granted: unknown) =>
      ask('POST', `/v${version}/plugins/mine/upgrade?remote=${name}`, granted)
    expect((await upgrade('1.26', [])).status).toBe(409)
    await post('/plugins/mine/disable')
    const { Id } = await inspect('mine')
    expect((await upgrade('1.25', [])).status).toBe(404)
    expect((await upgrade('1.26', [admin])).status).toBe(403)
    expect((await upgrade('1.26', await privileges())).status).toBe(200)
    expect(await inspect('mine')).toMatchObject({ Id, Config: { Description: 'The second' }, Settings: { Env: [] } })
    await enable('mine')
    expect((await told(Id)).slice(-3)).toEqual(['disable', 'upgrade', 'enable'])
    await remove('mine')
  })

  it('is not taken for an image, nor an image for a plugin, and one that is not there is told so', async () => {
    await engine.call('POST', `/images/busybox/tag?repo=${name}&tag=image`)
    await ask('POST', `/images/${name}/push?tag=image`)
    const image = await ask('GET', `/plugins/privileges?remote=${name}:image`)
    expect([image.status, image.text]).toEqual([400, expect.stringContaining('this is no plugin')])
    expect((await ask('GET', `/plugins/privileges?remote=${name}:none`)).status).toBe(404)
    expect((await ask('GET', '/plugins/privileges?remote=Not//Valid')).status).toBe(400)
  })
})
