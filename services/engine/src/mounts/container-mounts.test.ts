// Mounts with real folders, real layers and real containers.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { migrate } from '@atoll/kernel/db/migrate'
import { openDatabase } from '@atoll/kernel/db/open'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { volumesMigration } from '../resources/volumes/migration.ts'
import { newVolumes } from '../resources/volumes/testing/volumes-server.ts'
import { canRun } from '../runtime/oci/testing/run-bundle.ts'
import { testConfig, testHostConfig } from '../runtime/oci/testing/spec-input.ts'
import { ContainerMounts } from './container-mounts.ts'
import { resolveSubpaths, verifySubpaths } from './subpath.ts'

type Parts = Awaited<ReturnType<typeof newVolumes>>

describe.skipIf(!canRun)('mounts', () => {
  let folder: string
  let parts: Parts
  let mounts: ContainerMounts
  let close: () => Promise<void>

  beforeEach(async () => {
    folder = await tempDir()
    chmodSync(folder, 0o755)
    const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
    await migrate(db, [volumesMigration])
    close = () => db.close()
    parts = await newVolumes(db, folder)
    mounts = new ContainerMounts({ ...parts, log: silentLog, folder: join(folder, 'engine') })
  })

  afterEach(() => close())

  const resolve = async (hostConfig: object, config: object = {}, id = 'c1') =>
    (await mounts.resolve(id, testConfig(config), testHostConfig(hostConfig))).mounts

  const layer = (name: string): string => {
    mkdirSync(join(folder, name, 'data'), { recursive: true })
    return join(folder, name)
  }

  it('make volumes without a name, which go with their container and not with another', async () => {
    const resolved = await resolve({}, { Volumes: { '/data': {} } })
    const name = resolved[0]?.Name ?? ''
    expect(name).toMatch(/^[0-9a-f]{64}$/)
    parts.users.set(name, ['c1', 'c2'])
    await mounts.removeAnonymous('c1', resolved)
    expect((await parts.volumes.inspect(name)).Name).toBe(name)
    parts.users.set(name, ['c2'])
    await mounts.removeAnonymous('c2', resolved)
    await expect(parts.volumes.inspect(name)).rejects.toThrow('no such volume')
  })

  it('keep volumes with a name', async () => {
    const resolved = await resolve({ Binds: ['kept:/data'] })
    await mounts.removeAnonymous('c1', resolved)
    expect((await parts.volumes.inspect('kept')).Labels).toEqual({})
  })

  it('fill a new volume with what the image has there, as the layers show it together', async () => {
    const [top, bottom] = [layer('top'), layer('bottom')]
    writeFileSync(join(bottom, 'data/below'), 'below')
    writeFileSync(join(bottom, 'data/gone'), 'gone')
    writeFileSync(join(top, 'data/above'), 'above')
    execFileSync('mknod', [join(top, 'data/gone'), 'c', '0', '0'])
    execFileSync('chown', ['1000:1001', join(top, 'data')])
    chmodSync(join(top, 'data'), 0o750)
    const resolved = await resolve({ Binds: ['new:/data', 'bare:/data2:nocopy'] })
    await mounts.prepare('c1', resolved, [top, bottom])
    const place = (await parts.volumes.inspect('new')).Mountpoint
    expect(readdirSync(place).sort()).toEqual(['above', 'below'])
    const { uid, gid, mode } = statSync(place)
    expect([uid, gid, mode & 0o7777]).toEqual([1000, 1001, 0o750])
    expect(readdirSync(join(folder, 'volumes/new'))).toEqual(['_data'])
  })

  it('fill no volume that has something already, or is not to be filled', async () => {
    const image = layer('image')
    writeFileSync(join(image, 'data/file'), 'of the image')
    const resolved = await resolve({ Binds: ['bare:/data:nocopy'] })
    await mounts.prepare('c1', resolved, [image])
    expect(readdirSync((await parts.volumes.inspect('bare')).Mountpoint)).toEqual([])
    const used = await resolve({ Binds: ['used:/data'] })
    writeFileSync(join((await parts.volumes.inspect('used')).Mountpoint, 'mine'), 'x')
    await mounts.prepare('c1', used, [image])
    expect(readdirSync((await parts.volumes.inspect('used')).Mountpoint)).toEqual(['mine'])
  })

  it('go on with a volume that was being filled when the engine was killed', async () => {
    const image = layer('image')
    writeFileSync(join(image, 'data/one'), '1')
    writeFileSync(join(image, 'data/two'), '2')
    const resolved = await resolve({ Binds: ['half:/data'] })
    writeFileSync(join(folder, 'volumes/half/_copying'), '')
    writeFileSync(join(folder, 'volumes/half/_data/one'), '')
    await mounts.prepare('c1', resolved, [image])
    expect(readFileSync(join(folder, 'volumes/half/_data/one'), 'utf8')).toBe('1')
    expect(readdirSync(join(folder, 'volumes/half/_data')).sort()).toEqual(['one', 'two'])
  })

  it('copy nothing from outside the image, though a link of the image leads there', async () => {
    const image = layer('image')
    mkdirSync(join(folder, 'secret'))
    writeFileSync(join(folder, 'secret/file'), 'of the host')
    symlinkSync(join(folder, 'secret'), join(image, 'out'))
    await mounts.prepare('c1', await resolve({ Binds: ['linked:/out'] }), [image])
    expect(readdirSync((await parts.volumes.inspect('linked')).Mountpoint)).toEqual([])
  })

  it('write through no link that somebody puts into the volume while it is filled', async () => {
    const image = layer('image')
    writeFileSync(join(image, 'data/file'), 'of the image')
    const outside = join(folder, 'outside')
    writeFileSync(outside, 'of the host')
    const resolved = await resolve({ Binds: ['raced:/data'] })
    writeFileSync(join(folder, 'volumes/raced/_copying'), '')
    symlinkSync(outside, join(folder, 'volumes/raced/_data/file'))
    await mounts.prepare('c1', resolved, [image]).catch(() => undefined)
    expect(readFileSync(outside, 'utf8')).toBe('of the host')
  })

  it('make missing folders of binds, and refuse missing ones of mounts unless they may be made', async () => {
    const place = join(folder, 'made/here')
    await mounts.prepare('c1', await resolve({ Binds: [`${place}:/a`] }), [])
    expect(existsSync(place)).toBe(true)
    const missing = join(folder, 'missing')
    const asked = (BindOptions: object) =>
      testHostConfig({ Mounts: [{ Type: 'bind', Source: missing, Target: '/a', BindOptions }] })
    expect(await mounts.check(testConfig(), asked({}))).toEqual([
      expect.stringContaining('bind source path does not exist'),
    ])
    expect(await mounts.check(testConfig(), asked({ CreateMountpoint: true }))).toEqual([])
    expect(existsSync(missing)).toBe(false)
    await mounts.prepare('c1', await resolve(asked({ CreateMountpoint: true })), [])
    expect(existsSync(missing)).toBe(true)
  })

  it('refuse volumes of drivers that are not there', async () => {
    const hostConfig = testHostConfig({ Binds: ['data:/a'], VolumeDriver: 'other' })
    expect(await mounts.check(testConfig(), hostConfig)).toEqual([
      'error looking up volume plugin other: plugin "other" not found',
    ])
  })

  it('tell when volumes come into use and when not any more', async () => {
    const resolved = await resolve({ Binds: ['data:/a:ro', `${folder}:/b`] })
    mounts.announce('mount', 'c1', resolved)
    mounts.announce('unmount', 'c1', resolved)
    const told = parts.events.past.map(({ event }) => event).filter(({ Action }) => Action.endsWith('mount'))
    expect(told.map(({ Action, Actor }) => [Action, Actor.ID, Actor.Attributes])).toEqual([
      [
        'mount',
        'data',
        { container: 'c1', driver: 'local', destination: '/a', 'read/write': 'false', propagation: '' },
      ],
      ['unmount', 'data', { container: 'c1', driver: 'local' }],
    ])
  })

  describe('of a folder in a volume', () => {
    const subpath = async (path: string) =>
      resolve({ Mounts: [{ Type: 'volume', Source: 'data', Target: '/data', VolumeOptions: { Subpath: path } }] })
    const inVolume = (path: string): string => join(folder, 'volumes/data/_data', path)

    it.each(['/etc', '../../../../../../../../etc', '/./../../etc'])(
      'never lead out by a link to %s',
      async (target) => {
        const resolved = await subpath('link')
        symlinkSync(target, inVolume('link'))
        await expect(resolveSubpaths(resolved)).rejects.toThrow('escapes the base directory')
        mkdirSync(inVolume('etc'))
        await expect(resolveSubpaths(resolved)).rejects.toThrow('escapes the base directory')
      },
    )

    it('are refused when the folder was replaced while it was mounted', async () => {
      const resolved = await subpath('a')
      mkdirSync(inVolume('a'))
      const check = async (source: string): Promise<void> => {
        const script = 'mkdir -p "$2" && mount --bind "$1" "$2" && echo ready && exec sleep 20'
        const { spawn } = await import('node:child_process')
        const child = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', source, join(folder, 'inside')])
        try {
          await new Promise((ready) => child.stdout.once('data', ready))
          await verifySubpaths(child.pid ?? 0, [{ ...resolved[0]!, Destination: join(folder, 'inside') }])
        } finally {
          child.kill('SIGKILL')
        }
      }
      await check(inVolume('a'))
      await expect(check('/etc')).rejects.toThrow('no part of volume data')
    })
  })
})
