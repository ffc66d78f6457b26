import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { createIds } from '../ids/ids.ts'
import { blobFolder, newBlobKey } from './blob-key.ts'
import { blobMigrations, createSegments } from './segments.ts'
import { missing, sweep } from './sweep.ts'
import { filesIn, inPieces, keysIn, openTestStore, RememberingLog, roomy } from './testing/blob-fixtures.ts'

let test: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  test = await openTestStore()
})
afterEach(() => test.empty())

const store = (content: string) => test.blobs.write(inPieces(Buffer.from(content), 100), roomy)
const storeMany = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => store(`blob ${n}`)))
/** What a killed process leaves half-written. */
async function abandon(): Promise<string> {
  const key = newBlobKey(test.clock, createIds(test.clock))
  await writeFile(join(test.folder, 'incoming', key), 'half')
  return key
}

describeBothDatabases('the sweep', (open) => {
  async function start() {
    const db = await open(blobMigrations)
    const log = new RememberingLog()
    const segments = createSegments({ db, blobs: test.blobs, log })
    return { db, log, segments, needs: { db, log, blobs: test.blobs, clock: test.clock } }
  }

  it('removes what nothing refers to, finished or abandoned, and nothing else', async () => {
    const { db, segments, needs } = await start()
    const kept = await storeMany(3)
    await db.transaction((tx) => segments.keep(tx, 'file-1', kept))
    await storeMany(4)
    await abandon()
    await writeFile(join(test.folder, 'notes.txt'), 'not ours')
    await mkdir(join(test.folder, 'lost+found'), { recursive: true })
    test.clock.advanceSeconds(1)
    expect(await sweep({ ...needs, graceMs: 0 })).toEqual({ scanned: 8, removed: 5 })
    expect(await filesIn(test.folder)).toEqual([...kept.map(({ key }) => key), 'notes.txt'].sort())
    expect(await sweep({ ...needs, graceMs: 0 })).toEqual({ scanned: 3, removed: 0 })
  })

  it('leaves young blobs alone until their grace is over', async () => {
    const { needs } = await start()
    await store('old')
    await abandon()
    test.clock.advanceSeconds(3_600)
    const young = await store('young')
    const youngHalf = await abandon()
    expect(await sweep({ ...needs, graceMs: 3_599_999 })).toEqual({ scanned: 4, removed: 2 })
    expect(await keysIn(test.blobs)).toEqual([young.key, youngHalf].sort())
    test.clock.advanceSeconds(3_600)
    expect(await sweep({ ...needs, graceMs: 3_599_999 })).toEqual({ scanned: 2, removed: 2 })
  })

  it('does not disturb a writer at work', async () => {
    const { db, segments, needs } = await start()
    await storeMany(2)
    test.clock.advanceSeconds(60)
    const source = new PassThrough()
    const writing = test.blobs.write(source, roomy)
    await new Promise((resolve) => source.write('before the sweep, ', resolve))
    while ((await filesIn(join(test.folder, 'incoming'))).length === 0);
    expect(await sweep({ ...needs, graceMs: 0 })).toEqual({ scanned: 3, removed: 2 })
    source.end('after the sweep')
    const written = await writing
    await db.transaction((tx) => segments.keep(tx, 'file-1', [written]))
    test.clock.advanceSeconds(60)
    await sweep({ ...needs, graceMs: 0 })
    expect((await buffer(segments.read([written]))).toString()).toBe('before the sweep, after the sweep')
  })

  it('passes by a released blob that is still being read', async () => {
    const { segments, needs } = await start()
    const [blob] = await storeMany(1)
    test.clock.advanceSeconds(60)
    const reading = segments.read([blob!])
    const careful = { ...needs, graceMs: 0, isBeingRead: segments.isBeingRead }
    expect(await sweep(careful)).toEqual({ scanned: 1, removed: 0 })
    expect((await buffer(reading)).toString()).toBe('blob 0')
    expect(await sweep(careful)).toEqual({ scanned: 1, removed: 1 })
  })

  it('works through more blobs than one query takes', async () => {
    const { db, segments, needs } = await start()
    const ids = createIds(test.clock)
    const keys = Array.from({ length: 1_100 }, () => newBlobKey(test.clock, ids))
    for (const folder of new Set(keys.map(blobFolder))) await mkdir(join(test.folder, folder), { recursive: true })
    await Promise.all(keys.map((key) => writeFile(join(test.folder, blobFolder(key), key), 'x')))
    const kept = keys.filter((_, n) => n % 2 === 0)
    await db.transaction((tx) =>
      segments.keep(
        tx,
        'file-1',
        kept.map((key) => ({ key, bytes: 1 })),
      ),
    )
    test.clock.advanceSeconds(60)
    expect(await sweep({ ...needs, graceMs: 0 })).toEqual({ scanned: 1_100, removed: 550 })
    expect(await keysIn(test.blobs)).toEqual(kept.sort())
    expect(await missing(needs)).toEqual([])
  })

  it('goes on when a blob cannot be removed, and says so', async () => {
    const { needs, log } = await start()
    const [stuck] = await storeMany(3)
    test.clock.advanceSeconds(60)
    const remove = async (key: string) => {
      if (key === stuck!.key) throw new Error('the disk says no')
      await test.blobs.remove(key)
    }
    const blobs = { ...test.blobs, remove }
    expect(await sweep({ ...needs, blobs, graceMs: 0 })).toEqual({ scanned: 3, removed: 2 })
    expect(log.warnings).toMatchObject([{ key: stuck!.key }])
  })

  it('lists segments whose blob is gone or has another size', async () => {
    const { db, segments, needs } = await start()
    const [gone, short, whole] = await storeMany(3)
    await db.transaction((tx) => segments.keep(tx, 'file-1', [gone!, short!, whole!]))
    expect(await missing(needs)).toEqual([])
    await test.blobs.remove(gone!.key)
    await truncate(join(test.folder, blobFolder(short!.key), short!.key), 2)
    const found = (await missing(needs)).sort((a, b) => a.ordinal - b.ordinal)
    expect(found).toEqual([
      { owner: 'file-1', ordinal: 0, ...gone, foundBytes: undefined },
      { owner: 'file-1', ordinal: 1, ...short, foundBytes: 2 },
    ])
  })
})
