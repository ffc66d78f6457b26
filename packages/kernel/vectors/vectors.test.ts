import { describeBothTargets } from '@atoll/testkit/both-targets'
import { expect, it } from 'vitest'
import { unit } from './numbers.ts'
import { chunksFrom, direction } from './testing/directions.ts'
import { storeOpener } from './testing/stores.ts'
import { DimensionMismatch } from './vectors.ts'

const river = Float32Array.of(1, 0, 0, 0)
const money = Float32Array.of(0, 1, 0, 0)
const music = Float32Array.of(0, 0, 1, 0)
const between = unit(Float32Array.of(0.9, 0.4, 0, 0))

const sentences = [
  { ordinal: 0, text: 'The bank of the stream is muddy after rain.', vector: river },
  { ordinal: 1, text: 'Invoice ZX-4021 must be paid by March.', vector: money },
  { ordinal: 2, text: 'The orchestra plays on Sunday: café Müller, entrée libre.', vector: music },
]

describeBothTargets('vectors', (newTarget) => {
  const open = storeOpener()

  it('are found by meaning, the nearest first', async () => {
    const store = await open(await newTarget())
    await store.add('vs', 'file', sentences)
    const hits = await store.near('vs', between)
    expect(hits.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2])
    expect(hits[0]).toEqual({
      collection: 'vs',
      owner: 'file',
      ordinal: 0,
      text: sentences[0]!.text,
      heading: '',
      score: expect.any(Number),
    })
    expect(hits[0]!.score).toBeGreaterThan(hits[1]!.score)
    expect(hits[2]!.score).toBeLessThan(0.05)
  })

  it('of many owners go at once', async () => {
    const store = await open(await newTarget())
    const owners = Array.from({ length: 402 }, (_, n) => `owner${n}`)
    await store.db.transaction(async (tx) => {
      for (const owner of owners) await store.vectors.add(tx, 'vs', owner, [{ ...sentences[0]!, ordinal: 0 }])
    })
    await store.add('vs', 'kept', sentences)
    await store.add('other', 'owner1', sentences)
    expect(await store.vectors.sizeOf('vs')).toBe(405)
    const removed = [...owners.slice(1), 'unknown']
    await store.db.transaction((tx) => store.vectors.removeOwners(tx, 'vs', removed))
    expect(await store.vectors.sizeOf('vs')).toBe(4)
    const found = await store.near('vs', river)
    expect(new Set(found.map(({ owner }) => owner))).toEqual(new Set(['owner0', 'kept']))
    expect((await store.near('other', river)).length).toBe(3)
  })

  it('are found by an exact word, whatever their vectors, and words raise the score', async () => {
    const store = await open(await newTarget())
    await store.add('vs', 'file', sentences)
    await store.add('vs', 'many', chunksFrom(1, 200, 4))
    const ask = (text: string, limit = 5) => store.vectors.search({ collections: ['vs'], vector: river, text, limit })
    expect((await ask('what about zx-4021?')).map(({ text }) => text)).toContain(sentences[1]!.text)
    const [best] = (await ask('MULLER')).filter(({ owner }) => owner === 'file').filter(({ ordinal }) => ordinal === 2)
    const [without] = (await ask('', 300)).filter(({ text }) => text === best!.text)
    expect(best!.score).toBeGreaterThan(without!.score * 5)
    expect((await ask('Number77', 50)).map(({ text }) => text)).toContain('chunk number77')
    const scores = (await ask('stream')).map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(scores[0]).toBeGreaterThan(scores[1]! * 1.5)
  })

  it('have the same words whether they are cut before the transaction, many or few at a time, or in it', async () => {
    const store = await open(await newTarget())
    const words = (from: number): string => Array.from({ length: 3_000 }, (_, at) => `word${from + at}\0`).join(' ')
    const chunks = Array.from({ length: 40 }, (_, ordinal) => {
      return { ordinal, text: words(ordinal * 3_000), heading: `Part ${ordinal}`, vector: river }
    })
    const note = { ordinal: 40, text: 'A note\0.', heading: '', vector: river }
    await store.add('vs', 'cut before', await store.vectors.withWords(chunks))
    await store.add('vs', 'cut before', await store.vectors.withWords([note]))
    await store.add('vs', 'cut within', [...chunks, note])
    const rows = await store.db.queries.selectFrom('vector_bags').select('bag').orderBy('id').execute()
    const bags = rows.map(({ bag }) => Buffer.from(bag).toString('base64'))
    expect(bags.slice(0, 41)).toEqual(bags.slice(41))
  })

  it('tell the heading they stand under', async () => {
    const store = await open(await newTarget())
    const heading = 'Handbook › Leave \0 › Parental leave'
    await store.add('vs', 'file', [{ ordinal: 0, text: 'Twelve weeks.', heading, vector: river }])
    const [hit] = await store.near('vs', river)
    expect(hit).toMatchObject({ text: 'Twelve weeks.', heading: 'Handbook › Leave \ufffd › Parental leave' })
  })

  it('are found in languages without spaces between words', async () => {
    const store = await open(await newTarget())
    await store.add('vs', 'file', [{ ordinal: 0, text: '東京は日本の首都です。', vector: river }])
    await store.add('vs', 'other', [{ ordinal: 0, text: 'Straße nach Łódź', vector: music }])
    const found = async (text: string) =>
      (await store.vectors.search({ collections: ['vs'], vector: money, text, limit: 5, meaningWeight: 0 })).length
    expect(await found('首都')).toBe(1)
    expect(await found('łódź STRAßE')).toBe(1)
    expect(await found('大阪')).toBe(0)
  })

  it('leave out what scores less than asked for, and other owners', async () => {
    const store = await open(await newTarget())
    await store.add('vs', 'a', [{ ordinal: 0, text: 'one', vector: river }])
    await store.add('vs', 'b', [{ ordinal: 0, text: 'two', vector: between }])
    await store.add('vs', 'c', [{ ordinal: 0, text: 'three two', vector: music }])
    const search = { collections: ['vs'], vector: river, text: '', limit: 5 }
    const owners = async (more: object) =>
      (await store.vectors.search({ ...search, ...more })).map(({ owner }) => owner)
    const [best, , last] = (await store.vectors.search(search)).map(({ score }) => score)
    expect(await owners({ minScore: last! + 0.001 })).toEqual(['a', 'b'])
    expect(await owners({ minScore: best })).toEqual(['a'])
    expect(await owners({ minScore: 1 })).toEqual([])
    expect(await owners({ owners: ['c', 'b', 'nobody'] })).toEqual(['b', 'c'])
    expect(await owners({ owners: [] })).toEqual([])
    expect(await owners({ owners: ['c'], text: 'two' })).toEqual(['c'])
  })

  it('compare every chunk of the owners asked for, however many there are', async () => {
    const store = await open(await newTarget())
    await store.add('vs', 'large', chunksFrom(1_000, 700))
    await store.add('vs', 'other', chunksFrom(0, 50))
    const ask = { collections: ['vs'], vector: direction(1_650), text: '', limit: 3, owners: ['large'] }
    const [best, second] = await store.vectors.search(ask)
    expect(best).toMatchObject({ owner: 'large', ordinal: 650 })
    expect(second!.owner).toBe('large')
  })

  it('search several collections as one, and know nothing of others', async () => {
    const store = await open(await newTarget())
    await store.add('one', 'a', [{ ordinal: 0, text: 'x', vector: between }])
    await store.add('two', 'a', [{ ordinal: 0, text: 'y', vector: river }])
    await store.add('three', 'a', [{ ordinal: 0, text: 'z', vector: river }])
    const collections = ['one', 'two', 'empty', 'one']
    const hits = await store.vectors.search({ collections, vector: river, text: 'x y z', limit: 5 })
    expect(hits.map(({ collection, text }) => [collection, text])).toEqual([
      ['two', 'y'],
      ['one', 'x'],
    ])
    expect(await store.vectors.search({ collections: [], vector: river, text: 'x', limit: 5 })).toEqual([])
  })

  it('added again stay as they are; a gap is refused', async () => {
    const store = await open(await newTarget())
    await store.add('vs', 'file', sentences.slice(0, 2))
    expect(await store.vectors.countOf('vs', 'file')).toBe(2)
    await store.add('vs', 'file', [{ ...sentences[0]!, text: 'changed' }, ...sentences.slice(1)])
    expect(await store.vectors.countOf('vs', 'file')).toBe(3)
    expect((await store.near('vs', river)).map(({ text }) => text).sort()).toEqual(
      sentences.map(({ text }) => text).sort(),
    )
    await expect(store.add('vs', 'file', [{ ...sentences[0]!, ordinal: 7 }])).rejects.toThrow('3 comes next')
    expect(await store.vectors.countOf('vs', 'nobody')).toBe(0)
    await store.add('vs', 'nobody', [])
  })

  it('are not there when their transaction is undone', async () => {
    const store = await open(await newTarget())
    await store.add('vs', 'kept', [sentences[0]!])
    const undone = store.db.transaction(async (tx) => {
      await store.vectors.add(tx, 'vs', 'undone', sentences)
      throw new Error('changed my mind')
    })
    await expect(undone).rejects.toThrow('changed my mind')
    expect(await store.near('vs', river)).toHaveLength(1)
    expect(await store.vectors.countOf('vs', 'undone')).toBe(0)
    await store.add(
      'vs',
      'undone',
      sentences
        .slice(1)
        .concat(sentences[0]!)
        .map((chunk, ordinal) => ({ ...chunk, ordinal })),
    )
    expect(await store.near('vs', river)).toHaveLength(3)
  })

  it('of another width are refused with words that say which', async () => {
    const store = await open(await newTarget())
    await store.add('vs', 'file', sentences)
    const narrow = Float32Array.of(1, 0)
    const refused = await store.add('vs', 'more', [{ ordinal: 0, text: '', vector: narrow }]).catch((error) => error)
    expect(refused).toBeInstanceOf(DimensionMismatch)
    expect(refused.message).toBe('vs holds vectors of 4 dimensions; this one has 2')
    await expect(store.near('vs', narrow)).rejects.toThrow(DimensionMismatch)
    const broken = Float32Array.of(Number.NaN, 0, 0, 0)
    await expect(store.add('vs', 'more', [{ ordinal: 0, text: '', vector: broken }])).rejects.toThrow('not a number')
    await expect(store.near('vs', broken)).rejects.toThrow('not a number')
    expect(await store.near('vs', river)).toHaveLength(3)
  })

  it('are brought to length 1, so that scores stay within 0 and 1', async () => {
    const store = await open(await newTarget())
    await store.add('vs', 'file', [
      { ordinal: 0, text: 'long', vector: Float32Array.of(30, 0, 0, 0) },
      { ordinal: 1, text: 'zero', vector: new Float32Array(4) },
      { ordinal: 2, text: 'opposite', vector: Float32Array.of(-1, 0, 0, 0) },
    ])
    const hits = await store.near('vs', Float32Array.of(5, 0, 0, 0))
    expect(hits.map(({ text }) => text)).toEqual(['long', 'zero', 'opposite'])
    for (const { score } of hits) expect(score).toBeGreaterThanOrEqual(0)
    expect(hits[0]!.score).toBeLessThanOrEqual(1)
    const alike = await store.near('vs', Float32Array.of(0.1, 0, 0, 0))
    expect(alike).toEqual(hits)
  })

  it('take any characters in texts and questions', async () => {
    const store = await open(await newTarget())
    const odd = `"quotes" 'single' AND OR NOT NEAR( * ^ : - + {col} \0 zero \ud800 half ; drop table vector_chunks; --`
    await store.add('vs', 'file', [{ ordinal: 0, text: odd, vector: music }])
    const questions = [
      odd,
      '"',
      "'",
      '*',
      'AND',
      'NEAR("a" "b", 2)',
      'words:quotes',
      '-quotes',
      '^quotes',
      '(',
      '\0',
      '\ud800',
      '$1',
      '%s',
      '{1,2}',
      ' ',
    ]
    for (const text of questions) {
      const hits = await store.vectors.search({ collections: ['vs'], vector: river, text, limit: 5 })
      expect(hits).toHaveLength(1)
      expect(hits[0]!.text).toBe(odd.replace('\0', '\ufffd').replace('\ud800', '\ufffd'))
    }
    const byWords = { collections: ['vs'], vector: river, limit: 5, meaningWeight: 0 }
    expect(await store.vectors.search({ ...byWords, text: 'words:quotes*' })).toHaveLength(1)
    const longQuestion = Array.from({ length: 5_000 }, (_, n) => `word${n}`).join(' ')
    expect(
      await store.vectors.search({ collections: ['vs'], vector: river, text: longQuestion, limit: 5 }),
    ).toHaveLength(1)
  })
})
