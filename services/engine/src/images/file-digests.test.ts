// Digests of what a build copies: what is known of files is used, and never for a file that has changed.
import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { paxOf, tarOf } from '../resources/images/testing/sample-tars.ts'
import { filesProgram } from '../testing/native-programs.ts'
import { FilesProgram } from './files-program.ts'

const run = promisify(execFile)
const recordBytes = 80

beforeAll(() => filesProgram(), 120_000)

async function unpackedContext(tar: Buffer) {
  const program = new FilesProgram(await filesProgram())
  const place = await tempDir()
  const [folder, digests] = [join(place, 'files'), join(place, 'files.digests')]
  await mkdir(folder)
  const call = (args: string[], input: Buffer) =>
    program.report({ args, input: Readable.from([input]) }, z.object({ digest: z.string() }))
  const unpack = (more: Buffer) => call(['unpack', '--plain', '--into', folder, '--digests', digests], more)
  const digest = async (...known: string[]) =>
    (await call(['digest', '--source', folder, ...known], Buffer.from('c.\0/to\0'))).digest
  await unpack(tar)
  return {
    ...{ folder, digests, unpack },
    /** With what is known of the files, and read anew: it must be the same. */
    async digest() {
      const [known, fresh] = [await digest('--digests', digests), await digest()]
      expect(known).toBe(fresh)
      return known
    },
    records: async () => (await stat(digests)).size / recordBytes,
  }
}

describe('Digests of files', () => {
  const entries = [
    { name: 'd/one', data: 'one' },
    { name: 'd/two', data: 'two', mtime: 1_500_000_000 },
    paxOf({ 'SCHILY.xattr.user.colour': 'blue' }),
    { name: 'd/coloured', data: 'three' },
  ]

  it('are known once files are unpacked, and nothing is read again', async () => {
    const context = await unpackedContext(tarOf(entries))
    const first = await context.digest()
    expect(await context.records()).toBe(3)
    // As folders move from build to build.
    await rename(context.folder, `${context.folder}-kept`)
    await rename(`${context.folder}-kept`, context.folder)
    expect(await context.digest()).toBe(first)
    expect(await context.records()).toBe(3)
    const elsewhere = await unpackedContext(tarOf(entries))
    expect(await elsewhere.digest()).toBe(first)
  })

  it('are others when a file was changed, though it looks the same', async () => {
    const context = await unpackedContext(tarOf(entries))
    const first = await context.digest()
    const path = join(context.folder, 'd/two')
    const before = await stat(path)
    await writeFile(path, 'TWO')
    await utimes(path, before.atime, before.mtime)
    expect((await stat(path)).mtimeMs).toBe(before.mtimeMs)
    const second = await context.digest()
    expect(second).not.toBe(first)
    await run('setfattr', ['-n', 'user.colour', '-v', 'green', join(context.folder, 'd/coloured')])
    expect(await context.digest()).not.toBe(second)
    await context.unpack(tarOf([{ name: 'd/coloured', data: 'three' }]))
    expect(await context.digest()).not.toBe(second)
  })

  it('are right for files with holes, and for names that come twice', async () => {
    const made = await tempDir()
    await writeFile(join(made, 'holes'), 'begin')
    await truncate(join(made, 'holes'), 1_000_000)
    await run('tar', ['-C', made, '--sparse', '-cf', join(made, 'tar'), 'holes'])
    const size = 1_000_000
    const holes = await readFile(join(made, 'tar'))
    const whole = tarOf([{ name: 'holes', data: Buffer.alloc(size, 'x') }])
    // The end of an archive is left out where another one follows.
    const context = await unpackedContext(Buffer.concat([whole.subarray(0, 512 + Math.ceil(size / 512) * 512), holes]))
    expect((await stat(join(context.folder, 'holes'))).size).toBe(size)
    const other = await unpackedContext(holes)
    expect(await context.digest()).toBe(await other.digest())
  })

  it('survive a record that was cut off', async () => {
    const context = await unpackedContext(tarOf(entries))
    const first = await context.digest()
    await truncate(context.digests, 2 * recordBytes + 7)
    expect(await context.digest()).toBe(first)
    expect(await context.records()).toBe(3)
  })

  it('tell names of one file from files of the same content', async () => {
    const link = await unpackedContext(tarOf([...entries, { name: 'd/x', type: '1', link: 'd/one' }]))
    const copy = await unpackedContext(tarOf([...entries, { name: 'd/x', data: 'one' }]))
    expect(await link.digest()).not.toBe(await copy.digest())
  })
})
