// Collections large enough for an index, and the ways its file can be wrong. "Large" is 100 chunks here.
import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeBothTargets, describePostgres, postgresTarget, sqliteTarget } from '@atoll/testkit/both-targets'
import { describe, expect, it } from 'vitest'
import { chunksFrom, direction } from './testing/directions.ts'
import { type Store, storeOpener } from './testing/stores.ts'

const settings = { indexFrom: 100 }
const large = 400

const owners = async (store: Store, seed: number): Promise<string[]> =>
  (await store.near('vs', direction(seed), 3)).map(({ owner, ordinal }) => `${owner}/${ordinal}`)

const indexFileOf = async ({ folder }: Store): Promise<string> => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.index'))
  expect(files).toHaveLength(1)
  return join(folder, files[0]!)
}

/** Every chunk is found first by its own vector. */
async function expectAll(store: Store, owner: string, from: number, count: number): Promise<void> {
  const missing: number[] = []
  for (let at = 0; at < count; at += 7) {
    if ((await owners(store, from + at))[0] !== `${owner}/${at}`) missing.push(at)
  }
  expect(missing).toEqual([])
}

describeBothTargets('an index', (newTarget) => {
  const open = storeOpener()

  it('is built for a large collection, and finds what comparing every vector finds', async () => {
    const store = await open(await newTarget(), { settings })
    await store.add('vs', 'a', chunksFrom(0, large))
    expect(await store.vectors.settle('vs')).toMatchObject({ count: large, indexed: large })
    await expectAll(store, 'a', 0, large)
    const best = await store.near('vs', direction(5_000), 10)
    const nearest = chunksFrom(0, large)
      .map(({ ordinal, vector }) => ({ ordinal, cosine: cosine(vector, direction(5_000)) }))
      .sort((a, b) => b.cosine - a.cosine)
    expect(best.map(({ ordinal }) => ordinal)).toEqual(nearest.slice(0, 10).map(({ ordinal }) => ordinal))
  })

  it('finds what was committed before the search, at every moment while the collection grows', async () => {
    const store = await open(await newTarget(), { settings })
    await store.add('vs', 'a', chunksFrom(0, 90))
    for (let round = 0; round < 30; round++) {
      await store.add('vs', `more${round}`, chunksFrom(1_000 + round * 20, 20))
      const last = 1_000 + round * 20 + 19
      const [found, earlier] = await Promise.all([owners(store, last), owners(store, round)])
      expect([found[0], earlier[0]]).toEqual([`more${round}/19`, `a/${round}`])
    }
  })

  it('is taken from its file at the next start; only what is newer is added', async () => {
    const target = await newTarget()
    const first = await open(target, { settings })
    await first.add('vs', 'a', chunksFrom(0, large))
    await first.vectors.settle('vs')
    const { mtimeMs } = await stat(await indexFileOf(first))
    await first.add('vs', 'b', chunksFrom(2_000, 5))
    await first.close()
    const second = await open(target, { settings, folder: first.folder })
    await expectAll(second, 'a', 0, large)
    expect((await owners(second, 2_004))[0]).toBe('b/4')
    expect((await stat(await indexFileOf(second))).mtimeMs).toBe(mtimeMs)
    expect(await second.vectors.settle('vs')).toMatchObject({ count: large + 5, indexed: large + 5 })
  })

  it('gives nothing that was removed, and everything that was not', async () => {
    const store = await open(await newTarget(), { settings })
    await store.add('vs', 'a', chunksFrom(0, large))
    await store.add('vs', 'b', chunksFrom(1_000, 50))
    await store.vectors.settle('vs')
    await store.removeOwner('vs', 'a')
    expect(await store.vectors.countOf('vs', 'a')).toBe(0)
    const found = await store.near('vs', direction(3), 100)
    expect(found.map(({ owner }) => owner)).toEqual(new Array(50).fill('b'))
    await store.add('vs', 'a', chunksFrom(7_000, 10))
    expect((await store.near('vs', direction(3), 100)).length).toBe(60)
    expect((await owners(store, 7_003))[0]).toBe('a/3')
    await store.vectors.settle('vs')
    expect((await store.near('vs', direction(3), 100)).length).toBe(60)
    expect(await rowCount(store)).toBe(60)
  })

  it('brings nothing back from the file of a collection that was removed and made again', async () => {
    const target = await newTarget()
    const store = await open(target, { settings })
    await store.add('vs', 'a', chunksFrom(0, large))
    await store.vectors.settle('vs')
    await store.removeCollection('vs')
    expect(await store.near('vs', direction(3))).toEqual([])
    await store.add('vs', 'a', chunksFrom(500, 3))
    expect((await store.near('vs', direction(3))).length).toBe(3)
    await store.vectors.settle('vs')
    expect(await readdir(store.folder)).toEqual([])
    expect(await rowCount(store)).toBe(3)
    await store.removeCollection('nothing')
  })

  it('is read anew when most of what it holds was removed', async () => {
    const store = await open(await newTarget(), { settings })
    await store.add('vs', 'a', chunksFrom(0, 1_500))
    await store.add('vs', 'b', chunksFrom(5_000, 120))
    expect(await store.vectors.settle('vs')).toMatchObject({ count: 1_620 })
    await store.removeOwner('vs', 'a')
    expect((await owners(store, 5_007))[0]).toBe('b/7')
    expect(await store.vectors.settle('vs')).toMatchObject({ count: 120, indexed: 120 })
  })

  it('gives memory back to others that are asked for, and answers again afterwards', async () => {
    const store = await open(await newTarget(), { settings: { ...settings, maxBytes: 1 } })
    for (const name of ['one', 'two', 'three']) await store.add(name, name, chunksFrom(0, 150))
    for (const name of ['one', 'two', 'three', 'one', 'two']) {
      const hits = await store.near(name, direction(42), 1)
      expect(hits).toMatchObject([{ owner: name, ordinal: 42 }])
    }
  })

  it('takes no more than may wait, and everything in the end', async () => {
    const store = await open(await newTarget(), { settings: { ...settings, maxWaitingBytes: 1 } })
    await store.add('vs', 'a', chunksFrom(0, large))
    await expectAll(store, 'a', 0, large)
  })

  it('leaves the event loop free while it is built', async () => {
    const store = await open(await newTarget(), { settings })
    await store.add('vs', 'a', chunksFrom(0, 1_000, 256))
    let turns = 0
    let pending: NodeJS.Immediate
    const turn = () => {
      turns++
      pending = setImmediate(turn)
    }
    turn()
    await store.vectors.settle('vs')
    clearImmediate(pending!)
    // Built on this thread, it would let a few dozen pass.
    expect(turns).toBeGreaterThan(500)
  })
})

describe('the file of an index', () => {
  const open = storeOpener()

  it('is built again when its file is missing, torn, damaged, of another width or of something else', {
    timeout: 90_000,
  }, async () => {
    const target = await sqliteTarget()
    const first = await open(target, { settings })
    await first.add('vs', 'a', chunksFrom(0, large))
    await first.vectors.settle('vs')
    const file = await indexFileOf(first)
    const whole = await readFile(file)
    await first.add('narrow', 'a', chunksFrom(0, large, 8))
    await first.vectors.settle('narrow')
    const others = (await readdir(first.folder)).map((name) => join(first.folder, name)).filter((path) => path !== file)
    const narrow = await readFile(others[0]!)
    await first.close()
    const damaged = Buffer.from(whole)
    damaged[1_000]! ^= 0xff
    const wrongs: (() => Promise<void>)[] = [
      () => rm(file),
      () => truncate(file, 0),
      () => truncate(file, whole.length - 1),
      () => truncate(file, Math.floor(whole.length / 2)),
      () => writeFile(file, Buffer.alloc(5_000, 'garbage')),
      () => writeFile(file, damaged),
      () => writeFile(file, narrow),
      () => writeFile(file, Buffer.concat([whole, whole])),
    ]
    for (const spoil of wrongs) {
      await spoil()
      const store = await open(target, { settings, folder: first.folder })
      expect((await owners(store, 123))[0]).toBe('a/123')
      expect(await store.vectors.settle('vs')).toMatchObject({ count: large, indexed: large })
      await store.close()
      expect((await readFile(file)).length).toBeGreaterThan(whole.length / 2)
    }
  })

  it('is built again when the database was restored from an older copy', async () => {
    const target = await sqliteTarget()
    if (target.kind !== 'sqlite') return
    const first = await open(target, { settings })
    await first.add('vs', 'a', chunksFrom(0, large))
    await first.close()
    const copy = await readFile(join(target.folder, 'atoll.db'))
    const second = await open(target, { settings, folder: first.folder })
    await second.add('vs', 'lost', chunksFrom(1_000, 50))
    await second.vectors.settle('vs')
    await second.close()
    for (const added of [0, 50, 60]) {
      for (const rest of ['-wal', '-shm']) await rm(join(target.folder, `atoll.db${rest}`), { force: true })
      await writeFile(join(target.folder, 'atoll.db'), copy)
      const restored = await open(target, { settings, folder: first.folder })
      await restored.add('vs', 'new', chunksFrom(3_000, added))
      const hits = await restored.near('vs', direction(3_049), 3)
      expect(hits.every(({ owner }) => owner !== 'lost')).toBe(true)
      if (added > 0) expect(hits[0]).toMatchObject({ owner: 'new', ordinal: 49 })
      await restored.close()
    }
  })

  it('removes files that belong to nothing when it starts', async () => {
    const store = await open(await sqliteTarget(), { settings })
    await store.add('vs', 'a', chunksFrom(0, large))
    await store.vectors.settle('vs')
    const file = await indexFileOf(store)
    await writeFile(join(store.folder, 'gone.index'), 'old')
    await writeFile(`${file}.12-3.tmp`, 'half')
    store.vectors.start()
    await store.close()
    expect(await readdir(store.folder)).toEqual([file.slice(store.folder.length + 1)])
  })
})

describePostgres('indexes of two nodes on one database (PostgreSQL)', () => {
  const open = storeOpener()

  it('find what the other node committed, and lose nothing when both write at once', async () => {
    const target = await postgresTarget()
    const [one, two] = [await open(target, { settings }), await open(target, { settings })]
    await one.add('vs', 'first', chunksFrom(0, 150))
    expect((await owners(two, 33))[0]).toBe('first/33')
    const writes = Array.from({ length: 24 }, (_, n) =>
      (n % 2 === 0 ? one : two).add('vs', `w${n}`, chunksFrom(1_000 + n * 10, 10)),
    )
    const meanwhile = writes.map(async (write, n) => {
      await write
      for (const node of [one, two]) expect((await owners(node, 1_000 + n * 10 + 9))[0]).toBe(`w${n}/9`)
    })
    await Promise.all(meanwhile)
    for (const node of [one, two]) expect(await node.vectors.settle('vs')).toMatchObject({ count: 390 })
    await two.removeOwner('vs', 'first')
    expect((await one.near('vs', direction(33), 400)).length).toBe(240)
    await one.removeCollection('vs')
    expect(await two.near('vs', direction(33))).toEqual([])
  })
})

const rowCount = async ({ db }: Store): Promise<number> =>
  (await db.queries.selectFrom('vector_chunks').select('id').execute()).length

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0)
