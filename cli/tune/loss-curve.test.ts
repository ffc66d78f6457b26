import { describe, expect, it } from 'vitest'
import { lossCurve } from './loss-curve.ts'

const falling = (count: number) => Array.from({ length: count }, (_, at) => ({ step: at + 1, loss: 4 * 0.9 ** at }))

describe('the curve of a loss', () => {
  it('falls from the upper left to the lower right, with the ends of both axes', () => {
    const lines = lossCurve({ train: falling(40), validation: [] }).split('\n')
    expect(lines[0]).toBe('  4.00 |**')
    expect(lines[7]).toMatch(/^ {5}0 \| +\*+$/)
    expect(lines[8]).toBe(`       +${'-'.repeat(40)}`)
    expect(lines[9]).toBe(`        1${' '.repeat(37)}40`)
    expect(lines[10]).toBe('        loss by step')
  })

  it('shows validation beside it, and many steps in the width of a terminal', () => {
    const text = lossCurve({ train: falling(1_000), validation: [{ step: 500, loss: 3 }] })
    expect(text).toMatch(/o/)
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThan(80)
  })

  it('is left out where there is none yet', () => {
    expect(lossCurve({ train: falling(2), validation: [] })).toBe('')
  })
})
