import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import type { KyselyPlugin } from 'kysely'
import { afterEach, beforeAll, expect, it } from 'vitest'
import type { BlobStore, StoredBlob } from './blobs.ts'
import { blobMigrations, createSegments } from './segments.ts'
import { inPieces, keysIn, openTestStore, RememberingLog, roomy, type StoreUnderTest } from './testing/blob-fixtures.ts'

const never = new AbortController().signal
let test: StoreUnderTest
beforeAll(async () => {
  test = await openTestStore()
})
afterEach(() => test.empty())

const store = (content: string | Buffer) => test.blobs.write(inPieces(Buffer.from(content), 65_536), roomy)
const storeAll = (contents: (string | Buffer)[]) => Promise.all(contents.map(store))
/** Blobs that exist by name only, for tests that never read them. */
const named = (names: string[]): StoredBlob[] => names.map((key, n) => ({ key, bytes: n }))

describeBothDatabases('segments', (open) => {
  async function start(blobs: BlobStore = test.blobs) {
    const db = await open(blobMigrations)
    const log = new RememberingLog()
    const segments = createSegments({ db, blobs, log })
    const keep = (owner: string, kept: StoredBlob[]) => db.transaction((tx) => segments.keep(tx, owner, kept))
    const textOf = async (owner: string) =>
      (await buffer(segments.read(await segments.of(db.queries, owner)))).toString()
    return { db, log, segments, keep, textOf }
  }

  it('gives an owner its segments back in order, with their sizes as numbers', async () => {
    const { db, segments, keep } = await start()
    const kept = [...named(['c', 'a', 'b']), { key: 'huge', bytes: 8 * 2 ** 30 }]
    await keep('file-1', kept)
    await keep('file-2', [])
    expect(await segments.of(db.queries, 'file-1')).toEqual(kept)
    expect(await segments.of(db.queries, 'file-2')).toEqual([])
    expect(await segments.of(db.queries, 'nobody')).toEqual([])
  })

  it('gives a blob to one owner only, and a second list to none', async () => {
    const { keep } = await start()
    await keep('file-1', named(['a']))
    await expect(keep('file-2', named(['a']))).rejects.toThrow()
    await expect(keep('file-1', named(['b']))).rejects.toThrow()
  })

  it('keeps nothing when the transaction fails', async () => {
    const { db, segments } = await start()
    const failing = db.transaction(async (tx) => {
      await segments.keep(tx, 'file-1', named(['a']))
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await segments.of(db.queries, 'file-1')).toEqual([])
  })

  it('joins owners in the order given, each with all of its segments', async () => {
    const { db, segments, keep, textOf } = await start()
    await keep('part-1', await storeAll(['one ', 'uno ']))
    await keep('part-2', await storeAll(['', 'two ']))
    await keep('part-3', await storeAll(['three ']))
    const joined = await db.transaction((tx) => segments.join(tx, ['part-3', 'part-1', 'part-2'], 'file-1'))
    expect(joined.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(18)
    expect(await segments.of(db.queries, 'file-1')).toEqual(joined)
    expect(await textOf('file-1')).toBe('three one uno two ')
    for (const part of ['part-1', 'part-2', 'part-3']) expect(await segments.of(db.queries, part)).toEqual([])
  })

  it('joins 128 owners in three statements, and thousands too', async () => {
    const { db, segments } = await start()
    for (const [count, statements] of [
      [128, 3],
      [3_000, 18],
    ]) {
      const owners = Array.from({ length: count! }, (_, n) => `${count}-part-${n}`)
      await db.transaction((tx) =>
        tx
          .insertInto('blob_segments')
          .values(owners.map((owner, n) => ({ owner, ordinal: 0, key: `blob of ${owner}`, bytes: n })))
          .execute(),
      )
      const order = owners.toReversed()
      let executed = 0
      const counter: KyselyPlugin = {
        transformQuery: ({ node }) => {
          executed++
          return node
        },
        transformResult: async ({ result }) => result,
      }
      await db.transaction((tx) => {
        executed = 0
        return segments.join(tx.withPlugin(counter), order, `${count}-file`)
      })
      expect(executed).toBe(statements)
      const keys = (await segments.of(db.queries, `${count}-file`)).map(({ key }) => key)
      expect(keys).toEqual(order.map((owner) => `blob of ${owner}`))
    }
  })

  it('refuses to join an owner twice or one that has nothing, and changes nothing then', async () => {
    const { db, segments, keep } = await start()
    await keep('part-1', named(['a']))
    const join = (owners: string[]) => db.transaction((tx) => segments.join(tx, owners, 'file-1'))
    await expect(join(['part-1', 'part-1'])).rejects.toThrow('Cannot join')
    await expect(join(['part-1', 'part-9'])).rejects.toThrow('Cannot join')
    expect(await segments.of(db.queries, 'part-1')).toEqual(named(['a']))
    expect(await join([])).toEqual([])
  })

  it('releases rows with the transaction and blobs after it, and no others', async () => {
    const { db, segments, keep } = await start()
    const [a, b, c, d] = await storeAll(['a', 'b', 'c', 'd'])
    await keep('file-1', [a!, b!])
    await keep('file-2', [c!])
    await keep('file-3', [d!])
    await db.transaction((tx) => segments.release(tx, ['file-1', 'file-2', 'nobody']))
    await segments.idle()
    expect(await keysIn(test.blobs)).toEqual([d!.key])
    expect(await segments.of(db.queries, 'file-1')).toEqual([])
    expect(await segments.of(db.queries, 'file-3')).toEqual([d])
  })

  it('removes no blob when the release is rolled back', async () => {
    const { db, segments, keep, textOf } = await start()
    await keep('file-1', await storeAll(['precious']))
    const failing = db.transaction(async (tx) => {
      await segments.release(tx, ['file-1'])
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    await segments.idle()
    expect(await textOf('file-1')).toBe('precious')
  })

  it('logs a blob that cannot be removed and removes the rest', async () => {
    const [stuck, loose] = await storeAll(['stuck', 'loose'])
    const remove = async (key: string) => {
      if (key === stuck!.key) throw new Error('the disk says no')
      await test.blobs.remove(key)
    }
    const { db, segments, keep, log } = await start({ ...test.blobs, remove })
    await keep('file-1', [stuck!, loose!])
    await db.transaction((tx) => segments.release(tx, ['file-1']))
    await segments.idle()
    expect(await keysIn(test.blobs)).toEqual([stuck!.key])
    expect(log.warnings).toMatchObject([{ key: stuck!.key }])
  })

  it('lets a read that has begun finish although the file is released, and removes its blobs then', async () => {
    const { db, segments, keep } = await start()
    const contents = Array.from({ length: 10 }, () => randomBytes(300_000))
    const kept = await storeAll(contents)
    await keep('file-1', kept)
    const [first, second] = [segments.read(kept), segments.read(kept, { start: 0, end: 10 })]
    await db.transaction((tx) => segments.release(tx, ['file-1']))
    await segments.idle()
    expect(await keysIn(test.blobs)).toHaveLength(10)
    second.destroy()
    expect((await buffer(first)).equals(Buffer.concat(contents))).toBe(true)
    expect(segments.isBeingRead(kept[0]!.key)).toBe(false)
    await segments.idle()
    expect(await keysIn(test.blobs)).toEqual([])
  })

  it('digests the bytes of all segments in order, and stops when told', async () => {
    const { segments } = await start()
    for (const sizes of [[], [0], [1_000, 0, 2_000], [262_144], [262_145], [700_000, 0, 1_000_001]]) {
      const contents = sizes.map((size) => randomBytes(size))
      const kept = await storeAll(contents)
      const expected = createHash('md5').update(Buffer.concat(contents)).digest('hex')
      expect(await segments.digest(kept, 'md5', never)).toBe(expected)
      await expect(segments.digest(kept, 'md5', AbortSignal.abort())).rejects.toThrow('abort')
      expect(kept.some(({ key }) => segments.isBeingRead(key))).toBe(false)
    }
  })
})
