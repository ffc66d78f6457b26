import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { BlobStore } from './blobs.ts'
import { filesIn, inPieces, keysIn, openTestStore, roomy } from './testing/blob-fixtures.ts'

let test: Awaited<ReturnType<typeof openTestStore>>
let folder: string
let store: BlobStore

beforeAll(async () => {
  test = await openTestStore()
  folder = test.folder
  store = test.blobs
})
afterEach(() => test.empty())

describe('writing and reading', () => {
  it('moves the blob out of the incoming folder and tells when its writing began', async () => {
    const { key } = await store.write(Readable.from([Buffer.from('x')]), roomy)
    expect(await filesIn(folder)).toEqual([key])
    expect(await filesIn(join(folder, 'incoming'))).toEqual([])
    const listed = await store.list()[Symbol.asyncIterator]().next()
    expect(listed.value).toEqual({ key, startedAt: test.clock.now() })
  })

  it('reads no further than the consumer does', async () => {
    const { key } = await store.write(inPieces(randomBytes(2 ** 23), 65_536), roomy)
    const stream = await store.read(key)
    const pulled: number[] = []
    for await (const chunk of stream) {
      pulled.push(chunk.length)
      if (pulled.length === 2) break
    }
    expect((stream as unknown as { bytesRead: number }).bytesRead).toBeLessThan(2 ** 21)
    expect(stream.destroyed).toBe(true)
  })

  it('stops asking the source while the disk is behind', async () => {
    const incoming = join(folder, 'incoming')
    const onDisk = () => readdirSync(incoming).reduce((sum, name) => sum + statSync(join(incoming, name)).size, 0)
    const chunk = Buffer.alloc(65_536)
    let given = 0
    let mostInMemory = 0
    const greedy = new Readable({
      read() {
        mostInMemory = Math.max(mostInMemory, given - onDisk())
        given += chunk.length
        this.push(given > 2 ** 26 ? null : chunk)
      },
    })
    await store.write(greedy, roomy)
    expect(mostInMemory).toBeGreaterThan(0)
    expect(mostInMemory).toBeLessThan(2 ** 21)
  })

  it('refuses keys that are none, above all those that climb out of the folder', async () => {
    await writeFile(join(folder, 'secret'), 'not a blob')
    for (const key of ['../secret', 'secret', '', '..', '/etc/passwd', `${'0'.repeat(9)}-${'a'.repeat(31)}/`]) {
      await expect(store.read(key)).rejects.toThrow('Not the key of a blob')
      await expect(store.size(key)).rejects.toThrow('Not the key of a blob')
      await expect(store.remove(key)).rejects.toThrow('Not the key of a blob')
    }
    expect(existsSync(join(folder, 'secret'))).toBe(true)
    expect(await keysIn(store)).toEqual([])
  })

  it('tells the free bytes of the disk', async () => {
    expect(await store.freeBytes()).toBeGreaterThan(0)
  })
})

// In a process of its own, where the disk can be made to run out: within the last write, which is then taken in part.
const fullDisk = `
  const { createLocalDisk } = await import(process.argv[1])
  const { createIds } = await import(process.argv[2])
  const { readdir } = await import('node:fs/promises')
  const { Readable } = await import('node:stream')
  const folder = process.argv[3]
  const store = await createLocalDisk(folder, Date, createIds(Date))
  const chunks = Array.from({ length: 12 }, () => Buffer.alloc(65536))
  const code = await store.write(Readable.from(chunks), { maxBytes: 2 ** 30 }).then(() => 'written', (error) => error.code)
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  console.log(JSON.stringify({ code, files: files.length }))
`
const beside = (path: string) => new URL(path, import.meta.url).href
const shell = (script: string) => ['sh', '-c', script, 'sh', process.execPath, fullDisk]
const run = promisify(execFile)
const canMount = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0

describe('a disk that takes no more', () => {
  const node = '"$1" --input-type=module -e "$2" "$3" "$4" "$5"'
  const places = () => [beside('./local-disk.ts'), beside('../ids/ids.ts'), folder]

  it('passes on that the file may not grow, and removes the half that was written', async () => {
    const [program, ...rest] = [...shell(`ulimit -f 1500; exec ${node}`), ...places()]
    const { stdout } = await run(program!, rest)
    expect(JSON.parse(stdout)).toEqual({ code: 'EFBIG', files: 0 })
  })

  it.skipIf(!canMount)('passes on that the disk is full, and removes the half that was written', async () => {
    const script = `mount -t tmpfs -o size=760k,nr_inodes=1000 none "$5" && exec ${node}`
    const { stdout } = await run('unshare', ['-m', ...shell(script), ...places()])
    expect(JSON.parse(stdout)).toEqual({ code: 'ENOSPC', files: 0 })
  })
})
