// What is found for a question, and in which order.
import { describeBothTargets, describePostgres, postgresTarget, sqliteTarget } from '@atoll/testkit/both-targets'
import { expect, it } from 'vitest'
import { direction } from './testing/directions.ts'
import { type Store, storeOpener } from './testing/stores.ts'

const subjects = [
  'refunds',
  'parental leave',
  'travel costs',
  'passwords',
  'max_retry_count',
  'invoice ZX-4021',
  'café',
]
const sayings = ['are decided by the board', 'need a signature', 'must be renewed every year', 'cost 1,550.00 euros']

/** Sentences that share words in many ways. */
const manyChunks = (count: number, from = 0) =>
  Array.from({ length: count }, (_, ordinal) => {
    const n = from + ordinal
    const [subject, saying] = [subjects[n % subjects.length], sayings[n % sayings.length]]
    const more = Array.from({ length: n % 5 }, (_, at) => `${subjects[(n + at) % 6]} ${n % 11}`).join(' ')
    return {
      ordinal,
      text: `Note ${n}: ${subject} ${saying}. ${more}`,
      heading: n % 3 ? '' : `${subject}`,
      vector: direction(n),
    }
  })

const questions = [
  'who decides on refunds?',
  'maxRetryCount',
  'signatures for parental leaves',
  '1550 euro',
  'cafe zx 4021',
]

async function filled(store: Store): Promise<Store> {
  for (const [at, owner] of ['a', 'b', 'c', 'd'].entries()) await store.add('vs', owner, manyChunks(400, at * 400))
  await store.removeOwner('vs', 'b')
  return store
}

describePostgres('the same chunks on both databases', () => {
  const open = storeOpener()

  it('are found in the same order with the same scores', async () => {
    const stores = [await open(await sqliteTarget()), await open(await postgresTarget())]
    const [one, other] = await Promise.all(stores.map(filled))
    for (const [n, text] of questions.entries()) {
      for (const meaningWeight of [0, 1]) {
        const search = { collections: ['vs'], vector: direction(n * 31), text, limit: 20, meaningWeight }
        const hits = await one!.vectors.search(search)
        expect(hits.length).toBe(20)
        expect(await other!.vectors.search(search)).toEqual(hits)
      }
    }
  })
})

describeBothTargets('a question', (newTarget) => {
  const open = storeOpener()
  const far = direction(77)
  const ask = async (store: Store, text: string, more: object = {}) =>
    store.vectors.search({ collections: ['vs'], vector: far, text, limit: 10, meaningWeight: 0, ...more })

  it('finds the other forms of its words, those just as asked for first', async () => {
    const store = await open(await newTarget())
    const texts = ['He was running late.', 'She runs a shop there.', 'A runway for planes.', 'They cancelled it.']
    await store.add(
      'vs',
      'f',
      texts.map((text, ordinal) => ({ ordinal, text, vector: direction(ordinal) })),
    )
    expect((await ask(store, 'runs')).map(({ ordinal }) => ordinal)).toEqual([1, 0])
    expect((await ask(store, 'cancellation')).map(({ ordinal }) => ordinal)).toEqual([3])
  })

  it('finds what stands under a heading with its words before what mentions them', async () => {
    const store = await open(await newTarget())
    const text = 'Twelve weeks are granted, see the rules for pensions.'
    const more = { ordinal: 1, text, vector: far }
    await store.add('vs', 'f', [
      { ordinal: 0, text: `${text} Also for all.`, heading: 'Parental leave', vector: far },
      more,
    ])
    const hits = await ask(store, 'parental leave pensions')
    expect(hits.map(({ ordinal }) => ordinal)).toEqual([0, 1])
  })

  it('counts the words of its own collection: what is rare elsewhere may be common here', async () => {
    const store = await open(await newTarget())
    const chunk = (ordinal: number, text: string) => ({ ordinal, text, vector: direction(ordinal) })
    const legal = Array.from({ length: 150 }, (_, n) => chunk(n, `contract clause number ${n}`))
    await store.add('vs', 'f', [...legal, chunk(150, 'a contract about a ship'), chunk(151, 'the ship of the line')])
    await store.add(
      'other',
      'f',
      Array.from({ length: 150 }, (_, n) => chunk(n, `ship number ${n}`)),
    )
    const [first, second] = await ask(store, 'ship contract')
    expect([first!.ordinal, second!.ordinal]).toEqual([150, 151])
  })

  it('gets each text once, and no passage that its neighbours hold', async () => {
    const store = await open(await newTarget())
    const words = Array.from({ length: 60 }, (_, n) => `tide${n}`)
    const piece = (from: number) => words.slice(from, from + 20).join(' ')
    const overlapping = [0, 10, 20, 30].map((from, ordinal) => ({
      ordinal,
      text: piece(from),
      vector: direction(ordinal),
    }))
    await store.add('vs', 'f', overlapping)
    await store.add('vs', 'copy', [{ ordinal: 0, text: piece(0), vector: direction(0) }])
    const hits = await ask(store, `${piece(0)} ${piece(20)}`)
    expect(hits.map(({ ordinal }) => ordinal).sort()).toEqual([0, 2, 3])
  })

  it('of nothing but common words is answered all the same, within bounds', async () => {
    const store = await open(await newTarget())
    await store.add('vs', 'f', [
      { ordinal: 0, text: 'To be, or not to be.', vector: far },
      { ordinal: 1, text: 'Something else entirely.', vector: far },
    ])
    expect((await ask(store, 'to be or not to be')).map(({ ordinal }) => ordinal)).toEqual([0])
    expect(await ask(store, '?!')).toEqual([])
  })

  it('is answered from the texts of chunks that an older version stored, and their words are renewed', async () => {
    const target = await newTarget()
    const store = await open(target)
    await store.add('vs', 'f', manyChunks(100))
    const before = await ask(store, 'refunds signature')
    await store.db.queries.deleteFrom('vector_bags').execute()
    await store.db.queries
      .insertInto('vector_renewals')
      .values({ id: 1, done: 0, last: 2 ** 50 })
      .execute()
    await store.close()
    const again = await open(target)
    expect(await ask(again, 'refunds signature')).toEqual(before)
    again.vectors.start()
    await again.vectors.settle('vs')
    const rows = async (table: 'vector_bags' | 'vector_renewals') =>
      (await again.db.queries.selectFrom(table).select('id').execute()).length
    expect([await rows('vector_bags'), await rows('vector_renewals')]).toEqual([100, 0])
    await again.close()
    expect(await ask(await open(target), 'refunds signature')).toEqual(before)
  })

  it('finds the one chunk that holds a rare word, though many others answer the rest of it better', async () => {
    const store = await open(await newTarget())
    const asked = 'Who signs the yearly renewal of parental leave and travel costs, as quokka does?'
    const others = Array.from({ length: 200 }, (_, ordinal) => ({
      ordinal,
      text: `Case ${ordinal}: the yearly renewal of parental leave and travel costs is signed by the board.`,
      vector: far,
    }))
    await store.add('vs', 'f', others)
    await store.add('vs', 'g', [
      { ordinal: 0, text: `${'It is long ago and of no use. '.repeat(30)}Quokka.`, vector: direction(3) },
    ])
    const hits = await ask(store, asked, { meaningWeight: 1 })
    expect(hits.slice(0, 7).map(({ owner }) => owner)).toEqual(new Array(7).fill('f'))
    expect(hits.map(({ owner }) => owner)).toContain('g')
    const none = await ask(store, asked, { meaningWeight: 1, owners: ['f'] })
    expect(none.map(({ owner }) => owner)).not.toContain('g')
  })

  it('scores what answers above a half, and what has nothing to do with it near zero', async () => {
    const store = await open(await newTarget())
    await store.add('vs', 'f', manyChunks(300))
    const near = (n: number) => direction(n).map((value, at) => value + 0.1 * (direction(9)[at] ?? 0))
    const hits = await ask(store, 'Note 40 parental leave', { vector: near(40), meaningWeight: 1, limit: 50 })
    expect(hits[0]!.score).toBeGreaterThan(0.5)
    expect(hits.at(-1)!.score).toBeLessThan(0.2)
    const none = await ask(store, 'submarine volcano', { vector: direction(9_999), meaningWeight: 1 })
    expect(none[0]!.score).toBeLessThan(0.3)
  })
})
