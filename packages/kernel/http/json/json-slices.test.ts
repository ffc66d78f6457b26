import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
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
    const written = String(await buffer(jsonSlices(value)))
    expect(written === JSON.stringify(value)).toBe(true)
  })

  it('comes in pieces of some size, with turns for others between them', async () => {
    const value = Array(200).fill('"'.repeat(100_000))
    let turns = 0
    const counting = setInterval(() => turns++, 0)
    const sizes: number[] = []
    for await (const slice of jsonSlices(value)) sizes.push(slice.length)
    clearInterval(counting)
    expect(Math.max(...sizes)).toBeLessThan(200_000)
    expect(turns).toBeGreaterThan(3)
  })

  it('is not for small ones', () => {
    for (const value of ['x', 1, null, undefined, [], {}, { data: [1, 2, 3] }, new Date()]) {
      expect(isLarge(value)).toBe(false)
    }
  })
})
