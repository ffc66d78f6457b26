// Whatever is added and removed, in whatever order: searches give what comparing with every chunk gives.
import { describeBothTargets } from '@atoll/testkit/both-targets'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dot, unit } from './numbers.ts'
import { type Store, storeOpener } from './testing/stores.ts'
import type { VectorChunk, VectorHit } from './vectors.ts'

const dimensions = 6
const numRuns = process.env.ATOLL_TEST_LONG === '1' ? 200 : 12
const exact = 0.00005
/** An index keeps its numbers in 16 bits: what differs by less than this may change places. */
const half = 0.001
const words = ['amber', 'birch', 'copper', 'delta', 'ember']

const vector = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: dimensions, maxLength: dimensions })
  .map((numbers) => unit(Float32Array.from(numbers)))
/** Too short to overlap: nothing is folded but equal texts. */
const text = fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((some) => some.join(' '))
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
    ['without an index', { indexFrom: 5_000 }, exact],
    ['with one', { indexFrom: 20 }, half],
  ])('gives what comparing with every chunk gives, %s', async (_, settings, precision) => {
    const store = await open(await newTarget(), { settings })
    let runs = 0
    const property = fc.asyncProperty(steps, (list) => play(store, `vs${runs++}`, list, precision))
    await fc.assert(property, { numRuns })
  })
})

type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never
type SearchStep = Extract<Step, { minScore: number }>
type Model = Map<string, VectorChunk[]>

async function play(store: Store, collection: string, list: readonly Step[], precision: number): Promise<void> {
  const model: Model = new Map()
  for (const step of list) {
    if ('add' in step) await add(store, collection, model, step.add, step.chunks)
    else if ('remove' in step) {
      model.delete(step.remove)
      await store.removeOwner(collection, step.remove)
    } else if ('removeAll' in step) {
      model.clear()
      await store.removeCollection(collection)
    } else await compare(store, collection, model, step, precision)
  }
}

async function add(store: Store, collection: string, model: Model, name: string, chunks: [string, Float32Array][]) {
  const present = model.get(name) ?? []
  const more = chunks.map(([text, vector], at) => ({ ordinal: present.length + at, text, vector }))
  model.set(name, [...present, ...more])
  await store.add(collection, name, [...present.slice(-2), ...more])
  expect(await store.vectors.countOf(collection, name)).toBe(present.length + more.length)
}

async function compare(store: Store, collection: string, model: Model, step: SearchStep, precision: number) {
  const { search: vector, minScore } = step
  const all = [...model].flatMap(([owner, chunks]) => chunks.map((chunk) => ({ owner, ...chunk })))
  const search = { collections: [collection], vector, limit: 10, minScore: 0 }
  const near = await store.vectors.search({ ...search, text: '' })
  const cosineOf = (hit: VectorHit) => dot(model.get(hit.owner)![hit.ordinal]!.vector, vector)
  const greatest = distinct(all, (chunk) => dot(chunk.vector, vector))
  expectNumbers(near.map(cosineOf), greatest, precision)
  for (const hit of near) expect(model.get(hit.owner)?.[hit.ordinal]?.text).toBe(hit.text)
  const scores = near.map(({ score }) => score)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  // What is known of the whole collection, and with it every score, moves a little while its index grows.
  await store.vectors.settle(collection)
  const settled = await store.vectors.search({ ...search, text: '' })
  const above = await store.vectors.search({ ...search, text: '', minScore })
  expect(above).toEqual(settled.filter(({ score }) => score >= minScore))
  const worded = await store.vectors.search({ ...search, text: 'copper or delta?', meaningWeight: 0 })
  const worth = bm25(all, ['copper', 'delta'])
  const expected = distinct(
    all.filter((chunk) => worth(chunk.text) > 0),
    (chunk) => worth(chunk.text),
  )
  expectNumbers(
    worded.map(({ text }) => worth(text)),
    expected,
    exact,
  )
}

/** The ten greatest, each text once. */
function distinct(chunks: readonly VectorChunk[], measure: (chunk: VectorChunk) => number): number[] {
  const best = new Map<string, number>()
  for (const chunk of chunks) best.set(chunk.text, Math.max(best.get(chunk.text) ?? -2, measure(chunk)))
  return [...best.values()].sort((a, b) => b - a).slice(0, 10)
}

/** The same numbers at the same places. */
function expectNumbers(found: readonly number[], expected: readonly number[], precision: number): void {
  expect(found).toHaveLength(expected.length)
  for (const [place, value] of expected.entries())
    expect(Math.abs(found[place]! - value), `place ${place}: ${found} for ${expected}`).toBeLessThan(precision)
}

/** As in the books. */
function bm25(all: readonly VectorChunk[], asked: readonly string[]): (text: string) => number {
  const texts = all.map(({ text }) => text.split(' ').filter((word) => word !== ''))
  const mean = Math.max(1, texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length))
  const worthOf = (word: string): number => {
    const holding = texts.filter((text) => text.includes(word)).length
    return Math.log(1 + (Math.max(100, texts.length) - holding + 0.5) / (holding + 0.5))
  }
  return (text) => {
    const held = text.split(' ').filter((word) => word !== '')
    return asked.reduce((sum, word) => {
      const count = held.filter((one) => one === word).length
      const norm = 1.2 * (0.25 + (0.75 * held.length) / mean)
      return sum + (worthOf(word) * 2.2 * count) / (count + norm)
    }, 0)
  }
}
