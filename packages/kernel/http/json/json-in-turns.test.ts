import { describe, expect, it } from 'vitest'
import { parseInTurns, stringifyInTurns } from './json-in-turns.ts'
import { isLarge, jsonSlices } from './json-slices.ts'

const long = 'x'.repeat(100_000)
const values: [what: string, value: unknown][] = [
  ['a long text', long],
  ['a text of escapes', '"\\\n\u0001/é'.repeat(20_000)],
  ['a text of pairs', `a${'🏝'.repeat(50_000)}`],
  ['a text of halves', '\ud83c'.repeat(50_000)],
  ['many numbers', Array.from({ length: 20_000 }, (_, index) => index / 7)],
  ['a list with holes', [undefined, () => 1, Symbol('s'), null, Number.NaN, true, long, [], {}]],
  ['an object with nothing in it', { a: undefined, b: () => 1, c: long, 'd"': { e: [] }, f: undefined }],
  ['an object of nothing else', { a: undefined, b: Array(20_000).fill({ c: undefined }) }],
  ['what says how it is written', { at: new Date(0), long, more: [new Date(1)] }],
  ['a page', { object: 'list', data: Array(300).fill({ id: 'x', text: 'y'.repeat(1_000) }), has_more: false }],
]

describe('the JSON of a large value in slices', () => {
  it.each(values)('is what JSON.stringify makes: %s', async (_what, value) => {
    expect(isLarge(value)).toBe(true)
    expect([...jsonSlices(value)].join('') === JSON.stringify(value)).toBe(true)
  })

  it('comes in pieces of some size', () => {
    const sizes = [...jsonSlices(Array(200).fill('"'.repeat(100_000)))].map(({ length }) => length)
    expect(Math.max(...sizes)).toBeLessThan(200_000)
  })

  it('is not for small ones', () => {
    for (const value of ['x', 1, null, undefined, [], {}, { data: [1, 2, 3] }, new Date()]) {
      expect(isLarge(value)).toBe(false)
    }
  })
})

describe('JSON of many megabytes', () => {
  const value = Array.from({ length: 200 }, (_, index) => ({ index, text: `${'"🏝é\ud83c'.repeat(10_000)}` }))

  it('is written and read with turns for others in between', async () => {
    let turns = 0
    const counting = setInterval(() => turns++, 0)
    const text = await stringifyInTurns(value)
    const turnsOfWriting = turns
    const read = await parseInTurns(text)
    clearInterval(counting)
    expect(text === JSON.stringify(value)).toBe(true)
    expect(read).toEqual(value)
    expect(turnsOfWriting).toBeGreaterThan(3)
    expect(turns).toBeGreaterThan(2 * 3)
  })

  it('is refused when it is none', async () => {
    await expect(parseInTurns('[1,'.repeat(200_000))).rejects.toThrow()
  })
})
