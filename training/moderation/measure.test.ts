import { expect, it } from 'vitest'
import { areaUnderCurve, averagePrecision, type Scored } from './measure.ts'

const scored = (labels: string): Scored[] =>
  [...labels].map((label, at) => ({ score: -at, label: label === '1' ? 1 : 0 }))

it('knows a perfect order, the worst one, and one between', () => {
  expect([averagePrecision(scored('1100')), areaUnderCurve(scored('1100'))]).toEqual([1, 1])
  expect(averagePrecision(scored('0011'))).toBeCloseTo((1 / 3 + 2 / 4) / 2)
  expect(areaUnderCurve(scored('0011'))).toBe(0)
  expect(averagePrecision(scored('1010'))).toBeCloseTo((1 + 2 / 3) / 2)
})

it('gives equal scores no order', () => {
  const equal: Scored[] = [1, 0, 0, 1].map((label) => ({ score: 0.5, label: label === 1 ? 1 : 0 }))
  expect(averagePrecision(equal)).toBe(0.5)
  expect(areaUnderCurve(equal)).toBe(0.5)
})
