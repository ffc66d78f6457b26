import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, describe, expect, it } from 'vitest'
import { type ImagesServer, imagesServer } from '../../images/testing/images-server.ts'
import { dockerArchive, type SampleEntry, tarOf } from '../../images/testing/sample-tars.ts'
import type { ContainerRecord, MountPoint } from '../record.ts'

const started: ChildProcess[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

interface Wish {
  user?: string
  mounts?: Partial<MountPoint>[]
  isReadOnly?: boolean
}

async function containerOf(
  server: ImagesServer,
  files: SampleEntry[],
  { mounts = [], isReadOnly = false, user = '' }: Wish = {},
) {
  const { id, tar } = dockerArchive([tarOf(files)], { names: ['base'] })
  await server.call('POST', '/images/load', tar)
  const rootfs = await server.side.images.createRootfs('c1', id)
  const record = {
    id: 'c1',
    name: 'c1',
    imageId: id,
    mounts,
    config: { User: user },
    hostConfig: { ReadonlyRootfs: isReadOnly },
    state: { status: 'exited', pid: 0 },
  } as unknown as ContainerRecord
  server.containers.set('c1', record)
  return { rootfs, record }
}

/** A process with the container's root, in a mount namespace of its own. */
async function runIn(server: ImagesServer): Promise<void> {
  const record = server.containers.get('c1') as ContainerRecord
  const { lower, upper, work } = await server.side.images.rootfs('c1', record.imageId)
  const root = await tempDir()
  const script = `mount -t overlay overlay -o lowerdir=${lower.join(':')},upperdir=${upper},workdir=${work} ${root} &&
    mkdir -p ${root}/proc ${root}/tmp && mount -t proc proc ${root}/proc && mount -t tmpfs tmpfs ${root}/tmp &&
    echo inside > ${root}/tmp/kept && echo ready && exec chroot ${root} /busybox sleep 1000`
  const child = spawn('unshare', ['-m', 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  started.push(child)
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve)
    child.once('exit', () => reject(new Error('the process ended')))
  })
  await until(async () => (await readFile(`/proc/${child.pid}/comm`, 'utf8')).startsWith('busybox'))
  record.state.pid = child.pid ?? 0
  record.state.status = 'running'
}

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 1))
}

const busybox = async (): Promise<SampleEntry> => ({
  name: 'busybox',
  data: await readFile('/bin/busybox'),
  mode: 0o755,
})

const get = (server: ImagesServer, path: string, method = 'GET') =>
  server.call(method, `/containers/c1/archive?path=${encodeURIComponent(path)}`)
const put = (server: ImagesServer, path: string, entries: SampleEntry[], query = '') =>
  server.call('PUT', `/containers/c1/archive?path=${encodeURIComponent(path)}${query}`, tarOf(entries))

const statOf = (answer: { headers: Record<string, unknown> }) =>
  JSON.parse(Buffer.from(String(answer.headers['x-docker-container-path-stat']), 'base64').toString())

/** Names and contents of a small tar. */
function entriesOf(tar: Buffer): Record<string, string> {
  const found: Record<string, string> = {}
  for (let at = 0; at + 512 <= tar.length; ) {
    const text = (from: number, length: number) =>
      tar
        .subarray(at + from, at + from + length)
        .toString()
        .split('\0')[0] ?? ''
    const name = text(0, 100)
    if (name === '') break
    const size = Number.parseInt(text(124, 12), 8)
    const type = text(156, 1)
    found[name] = type === '2' ? `-> ${text(157, 100)}` : tar.subarray(at + 512, at + 512 + size).toString()
    at += 512 + Math.ceil(size / 512) * 512
  }
  return found
}

const files: SampleEntry[] = [
  { name: 'srv/', type: '5', mode: 0o1777 },
  { name: 'srv/one', data: 'one', mode: 0o640, uid: 5, gid: 6, mtime: 1_600_000_000 },
  { name: 'srv/deep/two', data: 'two' },
  { name: 'to-srv', type: '2', link: '/srv' },
  { name: 'out', type: '2', link: '../../../../../../etc/hostname' },
]

describe('Files out of a container at rest', () => {
  it('come as a tar with the name of what was asked for', async () => {
    const server = await imagesServer()
    await containerOf(server, files)
    expect(entriesOf((await get(server, '/srv')).bytes)).toEqual({
      'srv/': '',
      'srv/deep/': '',
      'srv/deep/two': 'two',
      'srv/one': 'one',
    })
    expect(Object.keys(entriesOf((await get(server, '/srv/.')).bytes))).toContain('./one')
    expect(entriesOf((await get(server, 'srv/one')).bytes)).toEqual({ one: 'one' })
    expect(entriesOf((await get(server, '/to-srv')).bytes)).toEqual({ 'to-srv': '-> /srv' })
    expect(Object.keys(entriesOf((await get(server, '/to-srv/')).bytes))).toContain('to-srv/one')
    expect(entriesOf((await get(server, '/to-srv/one')).bytes)).toEqual({ one: 'one' })
  })

  it('are described by HEAD', async () => {
    const server = await imagesServer()
    await containerOf(server, files)
    const one = await get(server, '/srv/one', 'HEAD')
    expect([one.status, one.bytes.length]).toEqual([200, 0])
    expect(statOf(one)).toEqual({ name: 'one', size: 3, mode: 0o640, mtime: '2020-09-13T12:26:40Z', linkTarget: '' })
    expect(statOf(await get(server, '/srv', 'HEAD')).mode).toBe(2 ** 31 + 2 ** 20 + 0o777)
    expect(statOf(await get(server, '/to-srv', 'HEAD'))).toMatchObject({ name: 'to-srv', linkTarget: '/srv' })
    expect((await get(server, '/none', 'HEAD')).status).toBe(404)
  })

  it('never come from outside, whatever links there are', async () => {
    const server = await imagesServer()
    await containerOf(server, files)
    const answer = await get(server, '/out/')
    expect([404, 400]).toContain(answer.status)
    expect(statOf(await get(server, '/out', 'HEAD')).linkTarget).toBe('/etc/hostname')
    // Inside the container that file is there, and empty.
    expect(statOf(await get(server, '/etc/hostname', 'HEAD')).size).toBe(0)
  })

  it('say so when there are none', async () => {
    const server = await imagesServer()
    await containerOf(server, files)
    const missing = await get(server, '/none')
    expect([missing.status, missing.json.message]).toEqual([404, 'Could not find the file /none in container c1'])
    expect((await get(server, '')).status).toBe(400)
    expect((await server.call('GET', '/containers/nobody/archive?path=/')).status).toBe(404)
  })

  it('come by the old way too', async () => {
    const server = await imagesServer()
    await containerOf(server, files)
    const answer = await server.call('POST', '/v1.23/containers/c1/copy', { Resource: '/srv/one' })
    expect(entriesOf(answer.bytes)).toEqual({ one: 'one' })
  })
})

describe('Files into a container at rest', () => {
  it('are unpacked, with their owners', async () => {
    const server = await imagesServer()
    const { rootfs } = await containerOf(server, files)
    const answer = await put(server, '/srv', [
      { name: 'new/file', data: 'x', uid: 9, mode: 0o600 },
      { name: 'one', data: 'other' },
    ])
    expect([answer.status, answer.text]).toEqual([200, ''])
    const made = await stat(join(rootfs.upper, 'srv/new/file'))
    expect([made.uid, made.mode & 0o777]).toEqual([9, 0o600])
    expect(entriesOf((await get(server, '/srv/one')).bytes)).toEqual({ one: 'other' })
  })

  it("belong to the container's user with copyUIDGID", async () => {
    const server = await imagesServer()
    const { rootfs } = await containerOf(server, files, { user: '33:44' })
    await put(server, '/srv', [{ name: 'mine', data: 'x', uid: 9, gid: 10 }], '&copyUIDGID=true')
    const made = await stat(join(rootfs.upper, 'srv/mine'))
    expect([made.uid, made.gid]).toEqual([33, 44])
  })

  it('stay inside: names and links that lead out are refused or end inside', async () => {
    const server = await imagesServer()
    const { rootfs } = await containerOf(server, files)
    const outside = await tempDir()
    await symlink(outside, join(rootfs.upper, 'trap'))
    expect((await put(server, '/srv', [{ name: '../../escaped', data: 'x' }])).status).toBe(400)
    expect((await put(server, '/trap', [{ name: 'escaped', data: 'x' }])).status).toBe(404)
    await put(server, '/', [
      { name: 'l', type: '2', link: outside },
      { name: 'l/escaped', data: 'x' },
    ])
    expect(await readdir(outside)).toEqual([])
  })

  it('do not replace a folder by a file, nor a file by a folder, when that is not wanted', async () => {
    const server = await imagesServer()
    await containerOf(server, files)
    const query = '&noOverwriteDirNonDir=true'
    expect((await put(server, '/srv', [{ name: 'deep', data: 'x' }], query)).json.message).toMatch(
      /^cannot overwrite directory/,
    )
    expect((await put(server, '/srv', [{ name: 'one/', type: '5' }], query)).json.message).toMatch(
      /^cannot overwrite non-directory/,
    )
    expect((await put(server, '/srv', [{ name: 'deep', data: 'x' }])).status).toBe(200)
    expect(entriesOf((await get(server, '/srv/deep')).bytes)).toEqual({ deep: 'x' })
  })

  it('are refused where there is no folder, or no tar', async () => {
    const server = await imagesServer()
    await containerOf(server, files)
    expect((await put(server, '/none', [])).status).toBe(404)
    expect((await put(server, '/srv/one', [{ name: 'x', data: 'x' }])).json.message).toBe(
      'extraction point is not a directory',
    )
    const junk = await server.call('PUT', '/containers/c1/archive?path=/srv', Buffer.from('junk'))
    expect(junk.status).toBe(400)
  })

  it('are refused by a read-only root or volume, in the words of docker', async () => {
    const server = await imagesServer()
    const volume = await tempDir()
    await writeFile(join(volume, 'inside'), 'volume')
    const writable = await tempDir()
    const mounts = [
      { Type: 'volume' as const, Source: volume, Destination: '/data', RW: false },
      { Type: 'bind' as const, Source: writable, Destination: '/rw', RW: true },
    ]
    await containerOf(server, files, { isReadOnly: true, mounts })
    const root = await put(server, '/srv', [{ name: 'x', data: 'x' }])
    expect([root.status, root.json.message]).toEqual([403, 'container rootfs is marked read-only'])
    const data = await put(server, '/data', [{ name: 'x', data: 'x' }])
    expect([data.status, data.json.message]).toEqual([403, 'mounted volume is marked read-only'])
    expect((await put(server, '/rw', [{ name: 'x', data: 'x' }])).status).toBe(200)
    expect(await readdir(writable)).toEqual(['x'])
    expect(entriesOf((await get(server, '/data/inside')).bytes)).toEqual({ inside: 'volume' })
  })
})

describe('Files of a running container', () => {
  it('are seen through its own mounts', async () => {
    const server = await imagesServer()
    await containerOf(server, [...files, await busybox()])
    await runIn(server)
    expect(entriesOf((await get(server, '/tmp/kept')).bytes)).toEqual({ kept: 'inside\n' })
    expect((await put(server, '/tmp', [{ name: 'given', data: 'given' }])).status).toBe(200)
    expect(entriesOf((await get(server, '/tmp/given')).bytes)).toEqual({ given: 'given' })
    const all = Object.keys(entriesOf((await get(server, '/proc')).bytes))
    expect(all).toEqual(['proc/'])
  })

  it('export without what is mounted in it', async () => {
    const server = await imagesServer()
    const { record } = await containerOf(server, [...files, await busybox()])
    Object.assign(record, { config: {}, imageName: 'base' })
    await runIn(server)
    const names = Object.keys(entriesOf((await server.call('GET', '/containers/c1/export')).bytes))
    expect(names).toContain('srv/one')
    expect(names).toContain('tmp/')
    expect(names).not.toContain('tmp/kept')
  })
})
