// What every store promises, tried on a folder and on a bucket.
import { randomBytes } from 'node:crypto'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { lackingS3 } from '@atoll/testkit/s3-server'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { BlobMissing, type BlobStore, BlobTooLarge } from './blobs.ts'
import { inPieces, keysIn, openTestStore, roomy, type StoreUnderTest } from './testing/blob-fixtures.ts'
import { openTestBucketStore } from './testing/bucket-fixtures.ts'

const stores = [
  { place: 'a folder', open: openTestStore, lacking: '' },
  { place: 'a bucket', open: openTestBucketStore, lacking: lackingS3 },
]

for (const { place, open, lacking } of stores) {
  describe.skipIf(lacking !== '')(`blobs in ${place}${lacking && ` (${lacking} is missing)`}`, () => {
    let test: StoreUnderTest
    let store: BlobStore

    beforeAll(async () => {
      test = await open()
      store = test.blobs
    })
    afterEach(() => test.empty())

    it('gives back what was written, empty or at the border of any buffer', { timeout: 60_000 }, async () => {
      const { borders } = test
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
        { numRuns: test.runs },
      )
    })

    it('keeps what an earlier store over the same place wrote', async () => {
      const { key } = await store.write(Readable.from([Buffer.from('still here')]), roomy)
      const again = await test.reopen()
      expect((await buffer(await again.read(key))).toString()).toBe('still here')
    })

    it('removes a blob once and then again, and says when one is missing', async () => {
      const { key } = await store.write(Readable.from([Buffer.from('x')]), roomy)
      await store.remove(key)
      await store.remove(key)
      expect(await store.size(key)).toBeUndefined()
      await expect(store.read(key)).rejects.toThrow(BlobMissing)
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
        expect(await test.names()).toEqual([])
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
        expect(await test.names()).toEqual([])
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
            expect(await test.names()).toEqual([])
          }),
          { numRuns: test.runs },
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
        expect(await test.names()).toEqual([])
      })

      it('refuses at once what was aborted or broken before it began', async () => {
        const source = Readable.from([Buffer.from('x')])
        await expect(store.write(source, { ...roomy, signal: AbortSignal.abort() })).rejects.toThrow('abort')
        const broken = new PassThrough()
        broken.destroy()
        await expect(store.write(broken, roomy)).rejects.toThrow('Premature close')
        expect(await test.names()).toEqual([])
      })
    })

    describe('listing', () => {
      it('tells every blob and when its writing began', async () => {
        const written = [await store.write(Readable.from([Buffer.from('x')]), roomy)]
        const startedAt = test.clock.now()
        test.clock.advanceSeconds(5)
        written.push(await store.write(Readable.from([Buffer.from('y')]), roomy))
        const listed = []
        for await (const blob of store.list()) listed.push(blob)
        expect(listed.sort((a, b) => a.startedAt - b.startedAt)).toEqual([
          { key: written[0]!.key, startedAt },
          { key: written[1]!.key, startedAt: startedAt + 5_000 },
        ])
        await store.remove(written[0]!.key)
        expect(await keysIn(store)).toEqual([written[1]!.key])
      })

      it('is given the whole of an empty blob, and nothing of a range beyond the end', async () => {
        const empty = await store.write(Readable.from([]), roomy)
        expect(await buffer(await store.read(empty.key))).toEqual(Buffer.alloc(0))
        const short = await store.write(Readable.from([Buffer.from('abc')]), roomy)
        expect(await buffer(await store.read(short.key, { start: 3, end: 9 }))).toEqual(Buffer.alloc(0))
        expect(String(await buffer(await store.read(short.key, { start: 1, end: 900 })))).toBe('bc')
      })
    })
  })
}
