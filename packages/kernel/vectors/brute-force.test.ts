// Whatever is added and removed, in whatever order: searches give what comparing with every chunk gives.
import { describeBothTargets } from '@atoll/testkit/both-targets'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scoreOf } from './fuse.ts'
import { dot, unit } from './numbers.ts'
import { type Store, storeOpener } from './testing/stores.ts'
import type { VectorChunk } from './vectors.ts'
import { wordsOf } from './words.ts'

const dimensions = 6
const numRuns = process.env.ATOLL_TEST_LONG === '1' ? 200 : 12
const words = ['amber', 'birch', 'copper', 'delta', 'ember']

const vector = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: dimensions, maxLength: dimensions })
  .map((numbers) => unit(Float32Array.from(numbers)))
const text = fc.subarray(words).map((some) => some.join(' '))
const owner = fc.constantFrom('a', 'b', 'c')
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ add: owner, chunks: fc.array(fc.tuple(text, vector), { maxLength: 30 }) }) },
    { weight: 1, arbitrary: fc.record({ remove: owner }) },
    { weight: 1, arbitrary: fc.record({ removeAll: fc.constant(true) }) },
    { weight: 4, arbitrary: fc.record({ search: vector, minScore: fc.constantFrom(0, 0.3, 0.6) }) },
  ),
  { minLength: 1, maxLength: 12 },
)

describeBothTargets('searching', (newTarget) => {
  const open = storeOpener()

  it.each([
    ['without an index', { indexFrom: 5_000 }],
    ['with one', { indexFrom: 20 }],
  ])('gives what comparing with every chunk gives, %s', async (_, settings) => {
    const store = await open(await newTarget(), { settings })
    let runs = 0
    const property = fc.asyncProperty(steps, (list) => play(store, `vs${runs++}`, list))
    await fc.assert(property, { numRuns })
  })
})

type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never
type Model = Map<string, VectorChunk[]>

async function play(store: Store, collection: string, list: readonly Step[]): Promise<void> {
  const model: Model = new Map()
  for (const step of list) {
    if ('add' in step) await add(store, collection, model, step.add, step.chunks)
    else if ('remove' in step) {
      model.delete(step.remove)
      await store.removeOwner(collection, step.remove)
    } else if ('removeAll' in step) {
      model.clear()
      await store.removeCollection(collection)
    } else await compare(store, collection, model, step.search, step.minScore)
  }
}

async function add(store: Store, collection: string, model: Model, name: string, chunks: [string, Float32Array][]) {
  const present = model.get(name) ?? []
  const more = chunks.map(([text, vector], at) => ({ ordinal: present.length + at, text, vector }))
  model.set(name, [...present, ...more])
  await store.add(collection, name, [...present.slice(-2), ...more])
  expect(await store.vectors.countOf(collection, name)).toBe(present.length + more.length)
}

async function compare(store: Store, collection: string, model: Model, vector: Float32Array, minScore: number) {
  const all = [...model].flatMap(([owner, chunks]) => chunks.map((chunk) => ({ owner, ...chunk })))
  const byMeaning = all
    .map((chunk) => ({ ...chunk, score: scoreOf({ id: 0, cosine: dot(chunk.vector, vector), agreement: 0 }) }))
    .filter(({ score }) => score >= minScore)
    .sort((a, b) => b.score - a.score)
  const search = { collections: [collection], vector, limit: 10, minScore }
  const near = await store.vectors.search({ ...search, text: '' })
  expect(near.map(({ score }) => score.toFixed(4))).toEqual(byMeaning.slice(0, 10).map(({ score }) => score.toFixed(4)))
  for (const hit of near) expect(model.get(hit.owner)?.[hit.ordinal]?.text).toBe(hit.text)
  const worded = await store.vectors.search({ ...search, limit: 1_000, minScore: 0, text: 'copper' })
  const holding = all.filter(({ text }) => wordsOf(text).has('copper')).length
  expect(worded.filter(({ text }) => wordsOf(text).has('copper'))).toHaveLength(holding)
}
