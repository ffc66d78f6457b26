import fc from 'fast-check'
import { expect, it } from 'vitest'
import { StopText } from './stop-text.ts'

function run(pieces: readonly string[], stops: readonly string[]): { text: string; tokens: number } {
  const stop = new StopText<number>(stops)
  const out = pieces.flatMap((text, of) => stop.push({ text, of }))
  out.push(...stop.end())
  return { text: out.map(({ text }) => text).join(''), tokens: out.length }
}

it('ends the text before the first stop sequence, wherever pieces are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[ab]{0,4}$/), { maxLength: 12 }),
      fc.array(fc.stringMatching(/^[ab]{1,4}$/), { maxLength: 4 }),
      (pieces, stops) => {
        const whole = pieces.join('')
        const ends = stops.map((stop) => whole.indexOf(stop)).filter((at) => at >= 0)
        const expected = whole.slice(0, ends.length === 0 ? whole.length : Math.min(...ends))
        // A stop that is complete earlier wins over one that begins earlier but is complete later.
        const text = run(pieces, stops).text
        expect(whole.startsWith(text)).toBe(true)
        if (stops.length <= 1) expect(text).toBe(expected)
        else expect(stops.some((stop) => text.includes(stop))).toBe(false)
      },
    ),
  )
})

it('holds back only what may become a stop sequence', () => {
  const stop = new StopText<number>(['END'])
  expect(stop.push({ text: 'the E', of: 1 })).toEqual([])
  expect(stop.push({ text: 'arth', of: 2 })).toEqual([
    { text: 'the E', of: 1 },
    { text: 'arth', of: 2 },
  ])
  expect(stop.push({ text: ' EN', of: 3 })).toEqual([])
  expect(stop.push({ text: 'D more', of: 4 })).toEqual([{ text: ' ', of: 3 }])
  expect(stop.stopped).toBe(true)
  expect(stop.end()).toEqual([])
})
