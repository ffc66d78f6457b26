// The best by words of a collection so large that not every posting is read.
import { beforeAll, describe, expect, it } from 'vitest'
import { askedWords } from './asked-words.ts'
import { bagOf } from './bag.ts'
import { WordShelf } from './word-shelf.ts'

const chunks = 12_000
const vocabulary = 'river stone cloud ember field harbor meadow lantern orchard timber valley winter'.split(' ')
const questions = [
  'river stone',
  'stone cloud winter rivers',
  'valley winter timber orchard lantern',
  'river name77 stone',
  'name4242',
  'river stone cloud ember field harbor meadow lantern orchard timber valley winter name9000',
]

/** Few words are frequent, and one of each chunk is its own. */
const textOf = (number: number): string => {
  const words = Array.from({ length: 8 + (number % 23) }, (_, at) => {
    const random = Math.abs(Math.sin(number * 31 + at * 17) * 10_000) % 1
    return vocabulary[Math.floor(vocabulary.length ** random) - 1]
  })
  return `${words.join(' ')} name${number}`
}

describe('the best by words', () => {
  const shelf = new WordShelf()
  const numbers = Float64Array.from({ length: chunks }, (_, at) => at + 1)

  beforeAll(() => {
    for (const number of numbers) shelf.add(number, number % 40, bagOf(textOf(number), ''))
    shelf.keepOnly(new Set(Array.from({ length: 40 }, (_, owner) => owner).filter((owner) => owner !== 7)))
  })

  it.each(questions)('are those that scoring every chunk gives: %s', (question) => {
    for (const among of [undefined, Float64Array.of(3, 11)]) {
      const { numbers: best, scores, wanted } = shelf.search({ ...askedWords(question), among }, 50, numbers)
      const isAsked = (owner: number): boolean => owner !== 7 && (among?.includes(owner) ?? true)
      const all = Array.from(wanted, (score, at) => ({ number: at + 1, score }))
        .filter(({ number, score }) => score > 0 && isAsked(number % 40))
        .sort((a, b) => b.score - a.score || a.number - b.number)
        .slice(0, 50)
      expect(Array.from(best, (number, at) => ({ number, score: scores[at] }))).toEqual(all)
    }
  })

  it.each(questions)('and what is usual are known nearly as well as from every chunk: %s', (question) => {
    const found = shelf.search(askedWords(question), 50, numbers)
    const held = Array.from(found.wanted).filter((_, at) => (at + 1) % 40 !== 7)
    const mean = held.reduce((sum, score) => sum + score, 0) / held.length
    const deviation = Math.sqrt(held.reduce((sum, score) => sum + (score - mean) ** 2, 0) / held.length)
    const told = found.sum / found.chunks
    expect(found.chunks).toBe(held.length)
    expect(told / mean).toBeCloseTo(1, 1)
    expect(Math.sqrt(found.squares / found.chunks - told ** 2) / deviation).toBeCloseTo(1, 1)
  })
})

it('puts what holds more of the words before what holds one of them in the very form asked for', () => {
  const shelf = new WordShelf()
  const texts = [
    'policies',
    'policy board',
    ...Array.from({ length: 198 }, (_, at) => `policy ${at < 120 ? 'board' : 'desk'}`),
  ]
  for (const [at, text] of texts.entries()) shelf.add(at + 1, 1, bagOf(`${text} of chunk${at}`, ''))
  const { wanted } = shelf.search(askedWords('policies of the board'), 10, Float64Array.of(1, 2, 200))
  const [form, both, stem] = wanted as unknown as [number, number, number]
  expect(both).toBeGreaterThan(form)
  expect(form).toBeGreaterThan(stem)
})
