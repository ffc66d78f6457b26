// Layers through the files program: what is unpacked, what is refused, and that packing is its reverse.
import { execFile } from 'node:child_process'
import { lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { paxOf, type SampleEntry, tarOf } from '../resources/images/testing/sample-tars.ts'
import { filesProgram } from '../testing/native-programs.ts'
import { Content } from './content.ts'
import { digestOf } from './digest.ts'
import { FilesProgram } from './files-program.ts'

const run = promisify(execFile)

async function openContent(): Promise<Content> {
  const content = new Content(await tempDir(), new FilesProgram(await filesProgram()))
  await content.prepare()
  return content
}

async function unpacked(content: Content, tar: Buffer): Promise<{ folder: string; diffId: string; digest: string }> {
  const staging = await content.stage()
  const layer = await content.unpack({ input: Readable.from([Buffer.from(tar)]), blob: join(staging, 'blob') })
  await layer.place(layer.diffId)
  return { folder: content.layerFolder(layer.diffId), diffId: layer.diffId, digest: layer.digest }
}

const unpack = async (entries: SampleEntry[]): Promise<string> =>
  (await unpacked(await openContent(), tarOf(entries))).folder

const opaque = async (path: string): Promise<string> =>
  (await run('getfattr', ['--only-values', '-n', 'trusted.overlay.opaque', path]).catch(() => ({ stdout: '' }))).stdout

describe('A layer', () => {
  it('is unpacked with owners, modes, times, links, devices, long names and attributes', async () => {
    const long = `${'n'.repeat(120)}/${'m'.repeat(200)}`
    const folder = await unpack([
      { name: 'bin/', type: '5', mode: 0o711, mtime: 1_600_000_000 },
      { name: 'bin/tool', data: 'tool', mode: 0o4755, uid: 7, gid: 8, mtime: 1_500_000_000 },
      { name: 'bin/same', type: '1', link: 'bin/tool' },
      { name: 'bin/link', type: '2', link: '/etc/passwd', uid: 5 },
      { name: 'null', type: '3', device: [1, 3], mode: 0o666 },
      { name: 'pipe', type: '6', mode: 0o600 },
      paxOf({ path: long, 'SCHILY.xattr.user.colour': 'blue' }),
      { name: 'short', data: 'long' },
    ])
    const tool = await stat(join(folder, 'bin/tool'))
    expect([tool.mode & 0o7777, tool.uid, tool.gid, tool.mtimeMs]).toEqual([0o4755, 7, 8, 1_500_000_000_000])
    expect((await stat(join(folder, 'bin/same'))).ino).toBe(tool.ino)
    expect(await readlink(join(folder, 'bin/link'))).toBe('/etc/passwd')
    expect((await lstat(join(folder, 'bin/link'))).uid).toBe(5)
    expect((await stat(join(folder, 'null'))).rdev).toBe(0x103)
    expect((await stat(join(folder, 'pipe'))).isFIFO()).toBe(true)
    expect(await readFile(join(folder, long), 'utf8')).toBe('long')
    const { stdout } = await run('getfattr', ['--only-values', '-n', 'user.colour', join(folder, long)])
    expect(stdout).toBe('blue')
    const bin = await stat(join(folder, 'bin'))
    expect([bin.mode & 0o777, bin.mtimeMs]).toEqual([0o711, 1_600_000_000_000])
  })

  it('has whiteouts and opaque folders in the form of overlayfs', async () => {
    const folder = await unpack([
      { name: 'a/', type: '5' },
      { name: 'a/.wh.gone' },
      { name: 'b/', type: '5' },
      { name: 'b/.wh..wh..opq' },
      { name: 'b/new', data: 'new' },
      { name: '.wh.c' },
      { name: 'c/', type: '5' },
      { name: '.wh..wh.plnk', type: '5' },
    ])
    const gone = await lstat(join(folder, 'a/gone'))
    expect([gone.isCharacterDevice(), gone.rdev]).toEqual([true, 0])
    expect(await opaque(join(folder, 'b'))).toBe('y')
    expect(await opaque(join(folder, 'c'))).toBe('y')
    expect((await readdir(folder)).sort()).toEqual(['a', 'b', 'c'])
  })

  it('tells the digests of its packed and its plain form, however it is packed', async () => {
    const content = await openContent()
    const tar = tarOf([{ name: 'f', data: Buffer.alloc(300_000, 'x') }])
    for (const packed of [tar, gzipSync(tar), zstdCompressSync(tar)]) {
      const { diffId, digest } = await unpacked(content, packed)
      expect([diffId, digest]).toEqual([digestOf(tar), digestOf(packed)])
    }
  })

  it('never leads out of its folder: links, parents and hard links stay inside', async () => {
    const outside = await tempDir()
    await writeFile(join(outside, 'secret'), 'secret')
    for (const entries of [
      [{ name: '../escaped', data: 'x' }],
      [{ name: 'a/../../escaped', data: 'x' }],
      [{ name: 'steal', type: '1', link: `..${outside}/secret` }],
      [{ name: 'steal', type: '1', link: `${outside}/secret` }],
      [{ name: 'x/.wh...', data: '' }],
    ]) {
      await expect(unpack(entries), JSON.stringify(entries)).rejects.toMatchObject({ status: 400 })
    }
    const folder = await unpack([
      { name: 'out', type: '2', link: outside },
      { name: 'up', type: '2', link: '../../../../../..' },
      { name: `up${outside}/made`, data: 'x' },
    ])
    expect(await readFile(join(folder, outside, 'made'), 'utf8')).toBe('x')
    expect(await readdir(outside)).toEqual(['secret'])
  })

  it('is refused when it is cut off, damaged, no tar, or damaged inside its gzip, and leaves nothing', async () => {
    const tar = tarOf([{ name: 'f', data: Buffer.alloc(100_000, 'x') }])
    const zip = gzipSync(tar)
    const broken = Buffer.from(zip)
    broken.fill(0xff, 60, 120)
    const badHead = Buffer.from(tar)
    badHead.fill(0x41, 148, 156)
    const content = await openContent()
    for (const bad of [tar.subarray(0, 60_000), zip.subarray(0, 80), broken, badHead, Buffer.from('hello')]) {
      await expect(unpacked(content, bad)).rejects.toMatchObject({ status: 400 })
    }
    const left = await readdir(join(content.folder, 'staging'))
    expect(left.filter((name) => name.startsWith('layer-'))).toEqual([])
    expect(await readdir(join(content.folder, 'layers'))).toEqual([])
  })

  it('of nothing is a folder of nothing', async () => {
    for (const nothing of [Buffer.alloc(0), gzipSync(''), tarOf([])]) {
      const { folder } = await unpacked(await openContent(), nothing)
      expect(await readdir(folder)).toEqual([])
    }
  })

  it('tells how much of it is unpacked while it is', async () => {
    const content = await openContent()
    const staging = await content.stage()
    const file = join(staging, 'blob')
    await writeFile(file, tarOf([{ name: 'f', data: Buffer.alloc(8_000_000, 'x') }]))
    const told: number[] = []
    const layer = await content.unpack({ file }, { onProgress: (bytes) => told.push(bytes) })
    expect(told).toEqual([...told].sort((one, other) => one - other))
    expect(told[0]).toBeGreaterThan(0)
    expect(told[0]).toBeLessThan(layer.bytes)
  })

  it('does not keep attributes that would speak to overlayfs', async () => {
    const folder = await unpack([paxOf({ 'SCHILY.xattr.trusted.overlay.redirect': '/etc' }), { name: 'd/', type: '5' }])
    const { stdout } = await run('getfattr', ['-d', '-m', '-', join(folder, 'd')])
    expect(stdout).toBe('')
  })

  it('is the same after packing and unpacking, and packs to the same bytes twice', async () => {
    const content = await openContent()
    const { folder } = await unpacked(
      content,
      tarOf([
        { name: 'a/', type: '5', mode: 0o700, uid: 3 },
        { name: 'a/file', data: 'file', uid: 12, gid: 13 },
        { name: 'a/same', type: '1', link: 'a/file' },
        { name: 'a/.wh.gone' },
        { name: 'b/', type: '5' },
        { name: 'b/.wh..wh..opq' },
        { name: 'link', type: '2', link: 'a/file' },
      ]),
    )
    const staging = await content.stage()
    const first = await content.pack(folder, join(staging, 'first'))
    const second = await content.pack(folder, join(staging, 'second'))
    expect(first.digest).toBe(second.digest)
    expect(digestOf(await readFile(join(staging, 'first')))).toBe(first.digest)
    const { stdout } = await run('tar', ['-tf', join(staging, 'first')])
    expect(stdout.trim().split('\n')).toEqual(['a/', 'a/file', 'a/.wh.gone', 'a/same', 'b/', 'b/.wh..wh..opq', 'link'])
    const again = await content.unpack({ file: join(staging, 'first') })
    await again.place(again.diffId)
    const third = await content.pack(content.layerFolder(again.diffId), join(staging, 'third'))
    expect(third.digest).toBe(first.digest)
  })

  it('does not follow links of a folder that it packs', async () => {
    const content = await openContent()
    const folder = await tempDir()
    await mkdir(join(folder, 'd'))
    await symlink('/etc/passwd', join(folder, 'd/link'))
    const staging = await content.stage()
    await content.pack(folder, join(staging, 'tar'))
    const { stdout } = await run('tar', ['-tvf', join(staging, 'tar')])
    expect(stdout).toContain('d/link -> /etc/passwd')
  })
})
