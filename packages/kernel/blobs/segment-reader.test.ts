import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { BlobMissing, type ByteRange, type StoredBlob } from './blobs.ts'
import { SegmentReader, slicesOf } from './segment-reader.ts'
import { inPieces, openTestStore, roomy } from './testing/blob-fixtures.ts'

let test: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  test = await openTestStore()
})
afterEach(() => test.empty())

const store = (bytes: Buffer) => test.blobs.write(inPieces(bytes, 65_536), roomy)
const reader = (segments: StoredBlob[], range?: ByteRange, closed = () => {}) =>
  new SegmentReader(test.blobs, slicesOf(segments, range), closed)
const openBlobs = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    const link = join('/proc/self/fd', fd)
    return existsSync(link) && readlinkSync(link).startsWith(test.folder)
  }).length

describe('reading segments as one', () => {
  it('gives any range of any segments as the same range of the joined bytes', async () => {
    const sizes = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 300 })), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(1_000), fc.nat(1_000), async (lengths, a, b) => {
        const contents = lengths.map((length) => randomBytes(length))
        const segments = await Promise.all(contents.map(store))
        const whole = Buffer.concat(contents)
        const range = { start: Math.min(a, b), end: Math.max(a, b) }
        expect(await buffer(reader(segments))).toEqual(whole)
        expect(await buffer(reader(segments, range))).toEqual(whole.subarray(range.start, range.end + 1))
      }),
      { numRuns: 60 },
    )
  })

  it('gives big segments whole, and ranges that begin and end at their borders', async () => {
    const contents = [randomBytes(2 ** 20), randomBytes(2 ** 18 + 1), randomBytes(3)]
    const segments = await Promise.all(contents.map(store))
    const whole = Buffer.concat(contents)
    const borders = [0, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 2 ** 18, 2 ** 20 + 2 ** 18 + 1, whole.length - 1]
    for (const start of borders) {
      for (const end of borders.filter((border) => border >= start)) {
        const read = await buffer(reader(segments, { start, end }))
        expect(read.equals(whole.subarray(start, end + 1))).toBe(true)
      }
    }
  })

  it('refuses a range that is none', () => {
    for (const [start, end] of [
      [-1, 5],
      [5, 4],
      [0.5, 1],
      [0, Number.NaN],
    ]) {
      expect(() => slicesOf([], { start: start!, end: end! })).toThrow(RangeError)
    }
  })

  it('holds one file open at a time and none when destroyed half-way', async () => {
    const segments = await Promise.all(Array.from({ length: 3 }, () => store(randomBytes(2_000_000))))
    const stream = reader(segments)
    let read = 0
    for await (const chunk of stream) {
      read += chunk.length
      expect(openBlobs()).toBeLessThanOrEqual(1)
      if (read > 3_000_000) break
    }
    const stillOpen = new Promise((resolve) => setImmediate(resolve)).then(openBlobs)
    expect(await waitForZero(stillOpen)).toBe(0)
  })

  it('asks for no segment before the ones ahead of it are read', async () => {
    const segments = await Promise.all(Array.from({ length: 5 }, () => store(randomBytes(300_000))))
    const asked: string[] = []
    const blobs = {
      ...test.blobs,
      read(key: string, range?: ByteRange) {
        asked.push(key)
        return test.blobs.read(key, range)
      },
    }
    const stream = new SegmentReader(blobs, slicesOf(segments, undefined), () => {})
    const chunks = stream[Symbol.asyncIterator]()
    await chunks.next()
    // As much work as reading it all: time enough for a reader that does not wait to go too far.
    await buffer(reader(segments))
    expect(asked.length).toBeLessThanOrEqual(2)
    stream.destroy()
  })

  it('fails rather than pass off a blob that lost bytes as a shorter file', async () => {
    const segments = [await store(randomBytes(1_000)), await store(randomBytes(1_000))]
    const names = await readdir(test.folder, { recursive: true })
    await truncate(join(test.folder, names.find((name) => name.endsWith(segments[0]!.key))!), 900)
    await expect(buffer(reader(segments))).rejects.toThrow('100 bytes short')
  })

  it('fails with the missing blob, and says once that it has closed', async () => {
    const segments = [await store(randomBytes(1_000)), await store(randomBytes(1_000))]
    await test.blobs.remove(segments[1]!.key)
    let closed = 0
    await expect(buffer(reader(segments, undefined, () => closed++))).rejects.toThrow(BlobMissing)
    expect(closed).toBe(1)
  })
})

async function waitForZero(first: Promise<number>): Promise<number> {
  let open = await first
  // Closing a file goes through the thread pool; it is under way when the loop is left.
  for (let turn = 0; open > 0 && turn < 1_000; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    open = openBlobs()
  }
  return open
}
