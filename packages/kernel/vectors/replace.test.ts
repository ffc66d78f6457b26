import { describeBothTargets } from '@atoll/testkit/both-targets'
import { expect, it } from 'vitest'
import { chunksFrom, direction } from './testing/directions.ts'
import { type Store, storeOpener } from './testing/stores.ts'

const open = storeOpener()
const settings = { indexFrom: 10 }

/** Each chunk's vector becomes that of another seed. */
const otherSeed = 1_000

async function replaceFrom(store: Store, after: number, limit = 7): Promise<number> {
  const chunks = await store.vectors.chunksAfter('vs', after, limit)
  const vectors = chunks.map(({ number, text }) => {
    const seed = Number(/\d+/.exec(text)?.[0])
    return { number, vector: direction(seed + otherSeed) }
  })
  await store.db.transaction((tx) => store.vectors.replace(tx, 'vs', vectors))
  return chunks.at(-1)?.number ?? after
}

const end = (store: Store, last: number) => store.db.transaction((tx) => store.vectors.endReplacing(tx, 'vs', last))

async function replaceAll(store: Store): Promise<number> {
  for (let last = 0; ; ) {
    const next = await replaceFrom(store, last)
    if (next === last) return last
    last = next
  }
}

describeBothTargets('replaced vectors', (newTarget) => {
  it('are found by once all are in place, also by an index that had the old ones', async () => {
    const store = await open(await newTarget(), { settings })
    await store.add('vs', 'a', chunksFrom(0, 20))
    await store.vectors.settle('vs')
    expect((await store.near('vs', direction(3), 1))[0]).toMatchObject({ ordinal: 3 })
    const last = await replaceAll(store)
    expect(await end(store, last)).toBe(true)
    for (const ordinal of [0, 3, 19]) {
      const [best] = await store.near('vs', direction(ordinal + otherSeed), 1)
      expect(best).toMatchObject({ owner: 'a', ordinal, text: `chunk number${ordinal}` })
    }
    await store.vectors.settle('vs')
    expect((await store.near('vs', direction(7 + otherSeed), 1))[0]).toMatchObject({ ordinal: 7 })
  })

  it('are not at their end while chunks are left that were added meanwhile', async () => {
    const store = await open(await newTarget(), { settings })
    await store.add('vs', 'a', chunksFrom(0, 5))
    const last = await replaceAll(store)
    await store.add('vs', 'b', chunksFrom(5, 2))
    expect(await end(store, last)).toBe(false)
    expect(await end(store, await replaceFrom(store, last))).toBe(true)
    expect((await store.near('vs', direction(6 + otherSeed), 1))[0]).toMatchObject({ owner: 'b', ordinal: 1 })
    expect(await store.vectors.sizeOf('vs')).toBe(7)
  })

  it('pass by what was removed, and have the width of the others', async () => {
    const store = await open(await newTarget(), { settings })
    await store.add('vs', 'a', chunksFrom(0, 3))
    await store.add('vs', 'b', chunksFrom(3, 3))
    const [first] = await store.vectors.chunksAfter('vs', 0, 1)
    await store.removeOwner('vs', 'a')
    const put = (vector: Float32Array) =>
      store.db.transaction((tx) => store.vectors.replace(tx, 'vs', [{ number: first!.number, vector }]))
    await put(direction(1))
    expect((await store.vectors.chunksAfter('vs', 0, 10)).map(({ text }) => text)).toEqual(
      chunksFrom(3, 3).map(({ text }) => text),
    )
    await expect(put(direction(1, 8))).rejects.toThrow('16 dimensions')
    expect(await store.vectors.chunksAfter('nothing', 0, 10)).toEqual([])
    expect(await end(store, 100)).toBe(true)
  })

  it('are not looked at by a search for words alone', async () => {
    const store = await open(await newTarget(), { settings })
    await store.add('vs', 'a', chunksFrom(0, 5))
    const nothing = new Float32Array(0)
    const search = { collections: ['vs'], vector: nothing, limit: 10, meaningWeight: 0 }
    expect((await store.vectors.search({ ...search, text: 'number4' })).map(({ ordinal }) => ordinal)).toEqual([4])
    expect(await store.vectors.search({ ...search, text: 'elsewhere' })).toEqual([])
  })
})
