// Mounts of containers, as a whole engine makes them: seen from within, and from the host.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { around, spanOf } from '../testing/by-version.ts'
import { startWholeEngine, type WholeEngine } from '../testing/start-whole-engine.ts'

let engine: WholeEngine
let folder: string
beforeAll(async () => {
  folder = mkdtempSync('/tmp/atoll-mounts-')
  mkdirSync(join(folder, 'tree/below'), { recursive: true })
  writeFileSync(join(folder, 'tree/file'), 'of the host\n')
  const tree = join(folder, 'tree')
  // Something mounted below what is to be bound.
  const prepare = async (host: { run(command: string, args: string[]): Promise<unknown> }) => {
    await host.run('mount', ['-t', 'tmpfs', 'tmpfs', join(tree, 'below')])
    await host.run('touch', [join(tree, 'below/deep')])
  }
  engine = await startWholeEngine({ prepare })
})
afterAll(async () => {
  await engine?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const create = (version: string, HostConfig: object, settings: object = {}) =>
  engine.call('POST', `/v${version}/containers/create`, {
    Image: 'busybox',
    Cmd: ['sleep', '99'],
    HostConfig,
    ...settings,
  })
const remove = (id: string) => engine.call('DELETE', `/containers/${id}?force=1&v=1`)

async function says(version: string, HostConfig: object, script: string, settings: object = {}): Promise<string> {
  const id = await engine.run(version, '', { HostConfig, ...settings })
  const said = await engine.inside(id, script)
  await remove(id)
  return said
}
const tree = (options: object = {}) => ({ Type: 'bind', Source: join(folder, 'tree'), Target: '/data', ...options })
/** What can be written: at the top, and in what is mounted below. */
const writes = 'for f in /data/new /data/below/new; do touch $f 2> /dev/null && echo yes || echo no; rm -f $f; done'

describe.each(['crun', 'runc'])('bind mounts with %s', (Runtime) => {
  const run = (version: string, options: object, script = writes) =>
    says(version, { Runtime, Mounts: [tree({ ReadOnly: true, ...options })] }, script)

  it('ENG-109 ENG-110 are read-only all the way down from 1.44 on, and at the top alone before', async () => {
    for (const version of ['1.44', '1.47']) expect(await run(version, {})).toBe('no\nno\n')
    for (const version of ['1.25', '1.43']) expect(await run(version, {})).toBe('no\nyes\n')
    const Binds = [`${join(folder, 'tree')}:/data:ro`]
    expect(await says('1.44', { Runtime, Binds }, writes)).toBe('no\nno\n')
    expect(await says('1.43', { Runtime, Binds }, writes)).toBe('no\nyes\n')
  })

  it('ENG-111 ENG-112 ENG-139 are read-only as far as they say, and without what is below when they say so', async () => {
    expect(await run('1.44', { BindOptions: { ReadOnlyNonRecursive: true } })).toBe('no\nyes\n')
    expect(await run('1.44', { BindOptions: { ReadOnlyForceRecursive: true } })).toBe('no\nno\n')
    const seen = 'ls /data/below'
    expect(await run('1.40', { BindOptions: { NonRecursive: true } }, seen)).toBe('')
    expect(await run('1.39', { BindOptions: { NonRecursive: true } }, seen)).toBe('deep\n')
    const writable = await create('1.47', { Mounts: [tree({ BindOptions: { ReadOnlyForceRecursive: true } })] })
    expect([writable.status, writable.body.message]).toEqual([400, expect.stringContaining('need ReadOnly to be set')])
  })

  it('ENG-100 ENG-158 are in memory with the options asked for', async () => {
    const TmpfsOptions = { SizeBytes: 65_536, Mode: 0o700, Options: [['uid', '1000'], ['noexec']] }
    const Mounts = [{ Type: 'tmpfs', Target: '/memory', TmpfsOptions }]
    const script = "grep ' /memory ' /proc/mounts; stat -c '%u %a' /memory"
    const said = await says('1.46', { Runtime, Mounts }, script)
    expect(said).toMatch(/tmpfs .*noexec.*size=64k.*uid=1000/)
    expect(said).toContain('\n1000 700\n')
    expect(await says('1.45', { Runtime, Mounts }, script)).toContain('\n0 700\n')
    const bad = [{ Type: 'tmpfs', Target: '/memory', TmpfsOptions: { Options: [['lowerdir', '/']] } }]
    expect((await create('1.46', { Mounts: bad })).status).toBe(400)
  })

  it('ENG-107 are a folder of a volume alone', async () => {
    await engine.run('1.47', `filler-${Runtime}`, { HostConfig: { Binds: [`data-${Runtime}:/data`] } })
    await engine.inside(`filler-${Runtime}`, 'mkdir -p /data/a/b; echo inside > /data/a/b/file; touch /data/beside')
    const VolumeOptions = { Subpath: 'a/b' }
    const Mounts = [{ Type: 'volume', Source: `data-${Runtime}`, Target: '/part', VolumeOptions }]
    const script = 'ls /part; cat /part/file'
    expect(await says('1.45', { Runtime, Mounts }, script)).toBe('file\ninside\n')
    expect(await says('1.44', { Runtime, Mounts }, 'ls /part')).toBe('a\nbeside\n')
    for (const Subpath of ['../out', '/abs']) {
      const out = [{ ...Mounts[0], VolumeOptions: { Subpath } }]
      expect((await create('1.45', { Mounts: out })).status).toBe(400)
    }
    await engine.inside(`filler-${Runtime}`, 'mkdir /data/empty; ln -s / /data/out; ln -s ../a /data/a/in')
    const at = (Subpath: string, Target: string) => [{ ...Mounts[0], Target, VolumeOptions: { Subpath } }]
    // What the image has there fills a folder that is empty, and nothing but that.
    expect(await says('1.45', { Runtime, Mounts: at('empty', '/etc') }, 'cat /etc/passwd')).toContain('root')
    expect(await engine.inside(`filler-${Runtime}`, 'ls /data/empty; ls /data')).toMatch(
      /passwd\n(.*\n)*a\nbeside\nempty\nout\n$/,
    )
    expect(await says('1.45', { Runtime, Mounts: at('a/in/b', '/part') }, 'cat /part/file')).toBe('inside\n')
    await remove(`filler-${Runtime}`)
  })
})

describe('mounts', () => {
  it('ENG-155 ENG-156 ENG-157 ENG-158 ENG-159 come from all places at once', async () => {
    for (const version of ['1.25', '1.47']) {
      const HostConfig = {
        Binds: [`${join(folder, 'tree')}:/bind`, 'named:/named:ro'],
        Mounts: [{ Type: 'volume', Source: 'other', Target: '/mount' }],
        Tmpfs: { '/memory': 'size=64k' },
      }
      const id = await engine.run(version, `all-${version}`, { HostConfig, Volumes: { '/own': {} } })
      const script =
        'cat /bind/file; for f in /bind /named /mount /memory /own; do grep -q " $f " /proc/mounts && echo $f; done'
      expect(await engine.inside(id, script)).toBe('of the host\n/bind\n/named\n/mount\n/memory\n/own\n')
      const refused = await engine.inside(id, 'touch /named/x 2>&1 || true; grep " /memory " /proc/mounts')
      expect(refused).toMatch(/Read-only file system[\s\S]*tmpfs .*size=64k/)
      const { Mounts } = (await engine.call('GET', `/containers/${id}/json`)).body
      const own = Mounts.find(({ Destination }: { Destination: string }) => Destination === '/own')
      expect(own).toMatchObject({ Type: 'volume', Name: expect.stringMatching(/^[0-9a-f]{64}$/), RW: true })
      await remove(id)
      // One without a name goes with its container; the others stay.
      expect((await engine.call('GET', `/volumes/${own.Name}`)).status).toBe(404)
      expect((await engine.call('GET', '/volumes/named')).status).toBe(200)
    }
  })

  it('ENG-122 have their folder made on the host when they may, from 1.42 on', async () => {
    const missing = join(folder, 'missing')
    const Mounts = (BindOptions: object) => [{ Type: 'bind', Source: missing, Target: '/a', BindOptions }]
    const refused = await create('1.47', { Mounts: Mounts({}) })
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringContaining('bind source path does not exist'),
    ])
    expect((await create('1.41', { Mounts: Mounts({ CreateMountpoint: true }) })).status).toBe(400)
    expect(existsSync(missing)).toBe(false)
    expect(await says('1.42', { Mounts: Mounts({ CreateMountpoint: true }) }, 'echo here > /a/file')).toBe('')
    expect(readFileSync(join(missing, 'file'), 'utf8')).toBe('here\n')
  })

  it('ENG-123 ENG-124 ENG-125 ENG-126 are refused with options of another type from 1.42 on, and taken before', async () => {
    for (const [mount, name] of [
      [{ Type: 'volume', Source: 'data', Target: '/a', BindOptions: { Propagation: 'rprivate' } }, 'BindOptions'],
      [{ Type: 'tmpfs', Target: '/a', BindOptions: { NonRecursive: true } }, 'BindOptions'],
      [tree({ VolumeOptions: { NoCopy: true } }), 'VolumeOptions'],
      [{ Type: 'tmpfs', Target: '/a', VolumeOptions: { NoCopy: true } }, 'VolumeOptions'],
      [tree({ TmpfsOptions: { Mode: 448 } }), 'TmpfsOptions'],
      [{ Type: 'volume', Source: 'data', Target: '/a', TmpfsOptions: { Mode: 448 } }, 'TmpfsOptions'],
    ] as const) {
      const among = around('1.42').slice(1)
      const statuses = new Map<string, number>()
      for (const version of among) {
        const { status, body } = await create(version, { Mounts: [mount] })
        statuses.set(version, status)
        if (status === 400) expect(body.message).toContain(`field ${name} must not be specified`)
        else await remove(body.Id)
      }
      expect(spanOf((version) => statuses.get(version) === 400, among)).toBe('1.42+')
      expect(spanOf((version) => statuses.get(version) === 201, among)).toBe('to 1.41')
    }
  })

  it('ENG-149 ENG-150 ENG-151 ENG-152 take every word for consistency, in both spellings', async () => {
    for (const Consistency of ['default', 'consistent', 'cached', 'delegated']) {
      for (const HostConfig of [
        { Mounts: [tree({ Consistency })] },
        { Binds: [`${join(folder, 'tree')}:/data:${Consistency}`] },
      ]) {
        expect(await says('1.28', HostConfig, 'cat /data/file')).toBe('of the host\n')
      }
    }
  })

  it('ENG-182 keep what the image has out of a volume with nocopy, from 1.23 on', async () => {
    const seen = async (version: string, bind: string) => says(version, { Binds: [bind] }, 'ls /etc | wc -l')
    expect(await seen('1.23', 'bare:/etc:nocopy')).toMatch(/^[0-3]\n$/)
    const filled = Number(await seen('1.23', 'filled:/etc'))
    expect(Number(await seen('1.22', 'older:/etc:nocopy'))).toBe(filled)
    const place = (name: string) => engine.call('GET', `/volumes/${name}`).then(({ body }) => body.Mountpoint)
    const passwd = async (name: string) => existsSync(join(await place(name), 'passwd'))
    expect(await Promise.all(['bare', 'filled', 'older'].map(passwd))).toEqual([false, true, true])
    const refused = await create('1.47', { Binds: ['/tmp:/data:nocopy'] })
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('invalid mode: nocopy')])
  })

  it('ENG-484 are what the options of a volume say', async () => {
    const device = join(folder, 'device')
    mkdirSync(device)
    writeFileSync(join(device, 'file'), 'bound\n')
    execFileSync('chmod', ['755', device])
    const volumes = [
      { Name: 'bound', DriverOpts: { type: 'none', o: 'bind', device } },
      { Name: 'memory', DriverOpts: { type: 'tmpfs', o: 'size=1m,uid=9', device: 'tmpfs' } },
    ]
    for (const volume of volumes) {
      expect((await engine.call('POST', '/volumes/create', volume)).body.Options).toEqual(volume.DriverOpts)
    }
    const script =
      'cat /bound/file; touch /bound/x 2> /dev/null || echo refused; stat -c %u /memory; df -k /memory | tail -1'
    const said = await says('1.47', { Binds: ['bound:/bound:ro', 'memory:/memory'] }, script)
    expect(said).toMatch(/^bound\nrefused\n9\n.*\b1024\b/)
    const told = async (version: string) => (await engine.call('GET', `/v${version}/volumes/bound`)).body.Options
    expect([await told('1.24'), await told('1.25')]).toEqual([undefined, volumes[0]?.DriverOpts])
  })
})

it('tells of a volume that containers share its label, unless its mode was said', async () => {
  const Mounts = [
    { Type: 'volume', Target: '/unnamed' },
    { Type: 'volume', Source: 'shared-label', Target: '/named' },
  ]
  const Binds = ['shared-label:/bound', 'shared-label:/read:ro']
  const { body } = await create('1.47', { Mounts, Binds })
  const told = (await engine.call('GET', `/containers/${body.Id}/json`)).body.Mounts
  const modes = told.map(({ Destination, Mode }: { Destination: string; Mode: string }) => [Destination, Mode])
  expect(Object.fromEntries(modes)).toEqual({ '/unnamed': 'z', '/named': 'z', '/bound': 'z', '/read': 'ro' })
  await remove(body.Id)
})

it('refuses to mount inside /proc, however its name is written, but over what tells of the machine', async () => {
  const source = join(folder, 'tree/file')
  const anonymous = (place: string) => create('1.47', {}, { Volumes: { [place]: {} } })
  for (const place of ['/proc//sys', '/proc/../proc/sys', '//proc/sys/', '/proc/./sys/.']) {
    const tries = [
      anonymous(place),
      create('1.47', { Binds: [`${source}:${place}`] }),
      create('1.47', { Mounts: [{ Type: 'bind', Source: source, Target: place }] }),
      create('1.47', { Tmpfs: { [place]: '' } }),
    ]
    for (const { status, body } of await Promise.all(tries)) {
      expect([status, body.message], place).toEqual([400, '"/proc/sys" cannot be mounted because it is inside /proc'])
    }
  }
  const words = '"/proc" cannot be mounted because it is not of type proc'
  for (const tried of [anonymous('/proc/'), create('1.47', { Binds: [`${folder}:/proc`] })]) {
    expect((await tried).body.message).toBe(words)
  }
  expect(await says('1.47', { Binds: [`${source}:/proc/uptime`] }, 'cat /proc/uptime')).toBe('of the host\n')
  for (const allowed of [await create('1.47', { Binds: ['/proc:/proc'] }), await anonymous('/process')]) {
    expect(allowed.status).toBe(201)
    await remove(allowed.body.Id)
  }
})
