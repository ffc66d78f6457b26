// What is mounted on one side of a bind mount, and whether the other side sees it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeEngine, type WholeEngine } from '../testing/start-whole-engine.ts'

let engine: WholeEngine
let folder: string

/** A folder that is a mount of its own on the engine's machine. */
async function mountedFolder(name: string, kind: 'shared' | 'private'): Promise<string> {
  const path = join(folder, name)
  for (const below of ['host', 'inside']) mkdirSync(join(path, below), { recursive: true })
  await onHost(`mount --bind ${path} ${path} && mount --make-${kind} ${path}`)
  return path
}

async function onHost(script: string): Promise<string> {
  const { code, stdout, stderr } = await engine.host.run('sh', ['-c', script])
  if (code !== 0) throw new Error(`${script}: ${stderr}`)
  return stdout
}

beforeAll(async () => {
  engine = await startWholeEngine()
  folder = mkdtempSync('/tmp/ae-propagation-')
}, 120_000)

afterAll(async () => {
  await engine?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Both sides mount something and look whether the other one did. */
async function seen(runtime: string, mode: string): Promise<{ byHost: boolean; byContainer: boolean }> {
  const name = `${runtime}-${mode}`
  const source = await mountedFolder(name, 'shared')
  const HostConfig = { Binds: [`${source}:/to:${mode}`], Privileged: true, Runtime: runtime }
  await engine.run('1.47', name, { HostConfig })
  await onHost(`mount -t tmpfs host ${source}/host && touch ${source}/host/file`)
  await engine.inside(name, 'mount -t tmpfs inside /to/inside && touch /to/inside/file')
  const look = (place: string) => `test -e ${place}/file && echo yes || echo no`
  return {
    byHost: (await onHost(look(`${source}/inside`))) === 'yes\n',
    byContainer: (await engine.inside(name, look('/to/host'))) === 'yes\n',
  }
}

describe('the propagation of a bind mount', () => {
  it.each([
    ['shared', { byHost: true, byContainer: true }],
    ['rshared', { byHost: true, byContainer: true }],
    ['slave', { byHost: false, byContainer: true }],
    ['rslave', { byHost: false, byContainer: true }],
    ['private', { byHost: false, byContainer: false }],
    ['rprivate', { byHost: false, byContainer: false }],
  ])(
    '%s lets mounts pass as its name says',
    async (mode, expected) => {
      for (const runtime of ['crun', 'runc']) expect(await seen(runtime, mode), runtime).toEqual(expected)
      for (const runtime of ['crun', 'runc']) await engine.call('DELETE', `/containers/${runtime}-${mode}?force=1`)
      expect(await onHost('cat /proc/self/mountinfo')).not.toMatch(/ overlay /)
    },
    60_000,
  )

  it('takes a single file, and is shown', async () => {
    const source = await mountedFolder('files', 'shared')
    writeFileSync(join(source, 'one'), 'of the host')
    const Mounts = [
      { Type: 'bind', Source: join(source, 'one'), Target: '/one', BindOptions: { Propagation: 'rshared' } },
    ]
    await engine.run('1.47', 'file', { HostConfig: { Mounts } })
    expect(await engine.inside('file', 'cat /one')).toBe('of the host')
    const { body } = await engine.call('GET', '/containers/file/json')
    expect(body.Mounts).toMatchObject([{ Source: join(source, 'one'), Destination: '/one', Propagation: 'rshared' }])
  })

  it('is refused at the start where the source is mounted for nobody else', async () => {
    const source = await mountedFolder('own', 'private')
    for (const [mode, kind] of [
      ['shared', 'shared'],
      ['rslave', 'shared or slave'],
    ]) {
      const asked = { Image: 'busybox', Cmd: ['true'], HostConfig: { Binds: [`${source}/host:/to:${mode}`] } }
      const { status, body } = await engine.call('POST', '/containers/create', asked)
      expect(status).toBe(201)
      expect(await engine.call('POST', `/containers/${body.Id}/start`)).toEqual({
        status: 500,
        body: { message: `path ${source}/host is mounted on ${source} but it is not a ${kind} mount` },
      })
    }
  })

  it('sees the last of several mounts at one place', async () => {
    const source = await mountedFolder('twice', 'private')
    await onHost(`mount --bind ${source} ${source} && mount --make-shared ${source}`)
    await engine.run('1.47', 'twice', { HostConfig: { Binds: [`${source}:/to:shared`] } })
  })
})

describe('a bind mount of the folder of the engine', () => {
  it.each([
    ['', 'rslave'],
    ['rslave', 'rslave'],
    ['rshared', 'rshared'],
    ['private', undefined],
    ['rprivate', undefined],
    ['slave', undefined],
    ['shared', undefined],
  ])('with %j has %s', async (mode, expected) => {
    const root: string = (await engine.call('GET', '/info')).body.DockerRootDir
    for (const Source of [root, join(root, 'containers')]) {
      const asked = [
        { Binds: [`${Source}:/foo${mode && `:${mode}`}`] },
        { Mounts: [{ Type: 'bind', Source, Target: '/foo', BindOptions: { Propagation: mode } }] },
      ]
      for (const HostConfig of asked) {
        const { status, body } = await engine.call('POST', '/containers/create', { Image: 'busybox', HostConfig })
        expect(status).toBe(expected === undefined ? 400 : 201)
        if (expected === undefined) expect(body.message).toContain('must use either propagation mode')
        else {
          const [mount] = (await engine.call('GET', `/containers/${body.Id}/json`)).body.Mounts
          expect(mount.Propagation).toBe(expected)
        }
      }
    }
  })

  it('can be had where the folder is mounted for nobody else', async () => {
    const root: string = (await engine.call('GET', '/info')).body.DockerRootDir
    await engine.run('1.47', 'root', { HostConfig: { Binds: [`${root}:/foo`] } })
    expect(await engine.inside('root', 'ls /foo')).toContain('containers')
  })

  it('can be shared, and the file systems of containers stay out of sight', async () => {
    const root: string = (await engine.call('GET', '/info')).body.DockerRootDir
    await onHost(`mount --bind ${root} ${root} && mount --make-shared ${root}`)
    await engine.run('1.47', 'engine', { HostConfig: { Binds: [`${root}:/foo:rshared`] } })
    expect(await onHost('cat /proc/self/mountinfo')).not.toMatch(/ overlay /)
    await engine.call('DELETE', '/containers/engine?force=1')
    expect(await engine.call('DELETE', '/containers/root?force=1')).toMatchObject({ status: 204 })
    await onHost(`umount --lazy ${root}`)
  })
})
