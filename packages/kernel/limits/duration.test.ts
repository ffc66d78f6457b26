import { describe, expect, it } from 'vitest'
import { goDuration } from './duration.ts'

describe('durations in Go’s format', () => {
  it.each([
    [0, '0s'],
    [84, '84ms'],
    [999, '999ms'],
    [1000, '1s'],
    [1001, '1.001s'],
    [8640, '8.64s'],
    [59_999, '59.999s'],
    [60_000, '1m0s'],
    [360_000, '6m0s'],
    [90_500, '1m30.5s'],
    [3_600_000, '1h0m0s'],
    [86_400_000, '24h0m0s'],
    [3_661_001, '1h1m1.001s'],
    [-1500, '-1.5s'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(goDuration(ms)).toBe(text)
  })

  it('rounds parts of a millisecond up, so that what is to come never reads as 0s', () => {
    expect(goDuration(0.2)).toBe('1ms')
    expect(goDuration(999.5)).toBe('1s')
  })

  it('ends at the longest duration Go can hold', () => {
    expect(goDuration(Number.POSITIVE_INFINITY)).toBe('2562047h47m16.854s')
  })
})
