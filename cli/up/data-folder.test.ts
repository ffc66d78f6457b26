// Who can read what Atoll keeps, and what a start says of folders and databases that it cannot use.
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { smallDisk } from '@atoll/testkit/small-disk'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { prepareDataFolder } from './data-folder.ts'

const nobody = 65_534
const isRoot = process.getuid?.() === 0

const rights = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** Every file and folder below, as `mode path`, that somebody else could read. */
function openBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
    .map((path) => `${rights(path)} ${path}`)
}

async function refusal(...args: string[]): Promise<string> {
  const server = new ServerProcess({ args: ['--port', '0', ...args] })
  await expect(server.ready()).rejects.toThrow('ended before')
  return server.output
}

/** What a start as another user says of it; `bare`: as root, with nothing that root may. */
function refusalOf(folder: string, { user = 0, bare = false }: { user?: number; bare?: boolean }): string {
  const code = `const { prepareDataFolder } = await import('${new URL('./data-folder.ts', import.meta.url)}')
    try { prepareDataFolder('${folder}') } catch (error) { console.log(error.message) }`
  const command = [process.execPath, '-e', code]
  const [program = '', ...args] = bare ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', ...command] : command
  const { stdout, stderr } = spawnSync(program, args, { uid: user, gid: user, encoding: 'utf8' })
  return stdout + stderr
}

describe('the data folder', () => {
  it('that stood open to everybody is closed before the first key is written, and the start says so', async () => {
    const data = join(await tempDir(), 'data')
    mkdirSync(data)
    chmodSync(data, 0o755)
    const before = process.umask(0o022)
    const server = new ServerProcess({ args: ['--data', data, '--port', '0', '--only', 'platform,hooks'] })
    process.umask(before)
    await server.ready()
    expect(server.output).toContain(`${data} could be read by other users of this machine (755)`)
    expect(rights(data)).toBe('700')
    expect(openBelow(data)).toEqual([])
    expect(await server.stop()).toBe(0)
    for (const name of ['atoll.db', 'lock.db']) chmodSync(join(data, name), 0o644)
    prepareDataFolder(data)
    expect(openBelow(data)).toEqual([])
  }, 60_000)

  it.skipIf(!isRoot)('of somebody else that stands open is refused', async () => {
    const folder = await tempDir()
    chmodSync(folder, 0o777)
    expect(refusalOf(folder, { user: nobody })).toContain('belongs to somebody else. Choose another with --data.')
    expect(rights(folder)).toBe('777')
    // Root without its rights, as in a container.
    chownSync(folder, nobody, nobody)
    expect(refusalOf(folder, { bare: true })).toContain('belongs to somebody else. Choose another with --data.')
    expect(rights(folder)).toBe('777')
  })

  it.skipIf(!isRoot)('of somebody else that is closed, or a file in it, is named with its owner', async () => {
    const folder = await tempDir()
    chmodSync(folder, 0o700)
    const whose = (path: string, owner: number, self: number) =>
      `${path} belongs to another user (uid ${owner}), and this one (uid ${self}) may not write to it.`
    expect(refusalOf(folder, { user: nobody })).toContain(whose(folder, 0, nobody))
    const left = join(folder, 'atoll.db')
    writeFileSync(left, '', { mode: 0o600 }) // by a start as root
    chownSync(folder, nobody, nobody)
    expect(refusalOf(folder, { user: nobody })).toContain(whose(left, 0, nobody))
    expect(refusalOf(folder, { bare: true })).toContain(whose(folder, nobody, 0))
  })

  it('is not closed to others where other things lie in it', async () => {
    const folder = await tempDir()
    writeFileSync(join(folder, 'letter.txt'), 'mine')
    chmodSync(folder, 0o755)
    expect(() => prepareDataFolder(folder)).toThrow('holds other things. Choose a folder of its own with --data')
    expect(rights(folder)).toBe('755')
    expect(rights(join(folder, 'letter.txt'))).toBe('644')
    const shared = await tempDir()
    chmodSync(shared, 0o1777)
    expect(() => prepareDataFolder(shared)).toThrow('Choose a folder of its own')
  })

  it('that is a file, or below one, is refused with a sentence', async () => {
    const file = join(await tempDir(), 'notes.txt')
    writeFileSync(file, '')
    expect(await refusal('--data', file)).toBe(
      `Atoll did not start: ${file} is a file, not a folder. Choose another with --data.\n`,
    )
    expect(await refusal('--data', join(file, 'below'))).toMatch(/lies below a file, not a folder/)
    expect(() => prepareDataFolder('/proc/atoll')).toThrow('/proc/atoll cannot be made there. Choose another with')
  }, 60_000)

  it('on a full disk is named with what to do', async ({ skip }) => {
    const disk = await smallDisk(2)
    if (disk === undefined) return skip('no file system can be mounted here')
    disk.fill()
    const said = await refusal('--data', disk.folder)
    expect(said).toMatch(/^Atoll did not start: the disk is full, where \/.* is\. Free some room on it, .*\n$/)
    expect(said).toContain(disk.folder)
  }, 60_000)
})

describe('a database that is away', () => {
  it('is named in a sentence, and its password is not', async () => {
    const args = ['--data', await tempDir(), '--database', 'postgres://atoll:hunter2@127.0.0.1:9/orders']
    expect(await refusal(...args)).toBe(
      'Atoll did not start: the database at 127.0.0.1:9/orders cannot be used: nothing listens there. It is the one of --database.\n',
    )
  }, 60_000)
})
