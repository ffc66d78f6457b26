import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '../ids/ids.ts'
import { BlobMissing, type BlobStore, BlobTooLarge } from './blobs.ts'
import { createLocalDisk } from './local-disk.ts'
import { filesIn, inPieces, keysIn, openTestStore, roomy, type StoreUnderTest } from './testing/blob-fixtures.ts'

let test: StoreUnderTest
let folder: string
let store: BlobStore

beforeAll(async () => {
  test = await openTestStore()
  folder = test.folder
  store = test.blobs
})
afterEach(() => test.empty())

describe('writing and reading', () => {
  it('gives back what was written, empty or at the border of any buffer', async () => {
    const borders = [0, 1, 2 ** 16, 2 ** 18, 2 ** 19, 2 ** 20, 2 ** 21]
    for (const size of borders.flatMap((border) => [border - 1, border, border + 1]).filter((size) => size >= 0)) {
      const bytes = randomBytes(size)
      const stored = await store.write(inPieces(bytes, 65_536), roomy)
      expect(stored.bytes).toBe(size)
      expect(await store.size(stored.key)).toBe(size)
      expect((await buffer(await store.read(stored.key))).equals(bytes)).toBe(true)
    }
  })

  it('gives back any content however it is cut into pieces, and any range of it', async () => {
    const content = fc.uint8Array({ minLength: 1, maxLength: 5_000 })
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.integer({ min: 1, max: 600 }),
        fc.nat(5_000),
        fc.nat(5_000),
        async (data, ...rest) => {
          const [piece, a, b] = rest
          const bytes = Buffer.from(data)
          const range = { start: Math.min(a, b) % bytes.length, end: Math.max(a, b) }
          const { key } = await store.write(inPieces(bytes, piece), roomy)
          expect(await buffer(await store.read(key))).toEqual(bytes)
          expect(await buffer(await store.read(key, range))).toEqual(bytes.subarray(range.start, range.end + 1))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('keeps what an earlier store over the same folder wrote', async () => {
    const { key } = await store.write(Readable.from([Buffer.from('still here')]), roomy)
    const again = await createLocalDisk(folder, test.clock, createIds(test.clock))
    expect((await buffer(await again.read(key))).toString()).toBe('still here')
  })

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

  it('removes a blob once and then again, and says when one is missing', async () => {
    const { key } = await store.write(Readable.from([Buffer.from('x')]), roomy)
    await store.remove(key)
    await store.remove(key)
    expect(await store.size(key)).toBeUndefined()
    await expect(store.read(key)).rejects.toThrow(BlobMissing)
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

describe('a write that fails', () => {
  it('takes exactly the most allowed and refuses one byte more, leaving the source to its owner', async () => {
    for (const maxBytes of [0, 1, 65_536, 700_000]) {
      const exact = await store.write(inPieces(randomBytes(maxBytes), 65_536), { maxBytes })
      expect(exact.bytes).toBe(maxBytes)
      const source = inPieces(randomBytes(maxBytes + 1), 65_536)
      await expect(store.write(source, { maxBytes })).rejects.toEqual(new BlobTooLarge(maxBytes))
      expect(source.errored).toBeNull()
      await store.remove(exact.key)
    }
    expect(await filesIn(folder)).toEqual([])
  })

  it('lets a refused request be drained and answered on the same connection', async () => {
    const server = createServer((req, res) => {
      store.write(req, { maxBytes: 100_000 }).catch((error) => {
        req.resume()
        req.on('end', () => res.end(error.name))
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const answer = await new Promise<string>((resolve, reject) => {
      const { port } = server.address() as AddressInfo
      request({ port, method: 'POST' }, async (res) => resolve(String(await buffer(res))))
        .on('error', reject)
        .end(randomBytes(2_000_000))
    })
    server.close()
    expect(answer).toBe('BlobTooLarge')
    expect(await filesIn(folder)).toEqual([])
  })

  it('leaves nothing behind when aborted or broken after any number of bytes', async () => {
    const ways = fc.constantFrom('abort', 'error', 'close')
    await fc.assert(
      fc.asyncProperty(fc.nat(1_200_000), ways, async (at, way) => {
        const source = new PassThrough({ highWaterMark: 2 ** 21 })
        const aborter = new AbortController()
        const writing = store.write(source, { maxBytes: 2 ** 22, signal: aborter.signal })
        const outcome = writing.then(
          () => 'written',
          (error) => error.name,
        )
        source.write(Buffer.alloc(at), () => {
          if (way === 'abort') aborter.abort()
          else source.destroy(way === 'error' ? new RangeError('broken') : undefined)
        })
        expect(await outcome).toBe({ abort: 'AbortError', error: 'RangeError', close: 'Error' }[way])
        expect(await filesIn(folder)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  it('leaves nothing behind when the client goes away in the middle of its request', async () => {
    const outcome = Promise.withResolvers<Error>()
    const server = createServer((req) => {
      store.write(req, roomy).catch(outcome.resolve)
      req.once('data', () => socket.destroy())
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n')
    socket.write(randomBytes(300_000))
    expect(await outcome.promise).toMatchObject({ code: 'ECONNRESET' })
    server.close()
    expect(await filesIn(folder)).toEqual([])
  })

  it('refuses at once what was aborted or broken before it began', async () => {
    const source = Readable.from([Buffer.from('x')])
    await expect(store.write(source, { ...roomy, signal: AbortSignal.abort() })).rejects.toThrow('abort')
    const broken = new PassThrough()
    broken.destroy()
    await expect(store.write(broken, roomy)).rejects.toThrow('Premature close')
    expect(await filesIn(folder)).toEqual([])
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
