import { ManualClock } from '@atoll/kernel/clock/clock'
import { expect, it } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const clock = new ManualClock(Date.UTC(2026, 0, 1, 12))

it('reads seconds, milliseconds and dates, and prefers the more exact', () => {
  expect(retryAfterMs({ 'retry-after': '3' }, clock)).toBe(3_000)
  expect(retryAfterMs({ 'retry-after': '0.5' }, clock)).toBe(500)
  expect(retryAfterMs({ 'retry-after': '3', 'retry-after-ms': '250' }, clock)).toBe(250)
  expect(retryAfterMs({ 'retry-after': 'Thu, 01 Jan 2026 12:00:07 GMT' }, clock)).toBe(7_000)
  expect(retryAfterMs({ 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, clock)).toBe(0)
})

it('knows nonsense, and waits an hour at most', () => {
  expect(retryAfterMs({}, clock)).toBeUndefined()
  expect(retryAfterMs({ 'retry-after': 'soon' }, clock)).toBeUndefined()
  expect(retryAfterMs({ 'retry-after': '-1' }, clock)).toBeUndefined()
  expect(retryAfterMs({ 'retry-after': '1e9' }, clock)).toBeUndefined()
  expect(retryAfterMs({ 'retry-after': '99999999' }, clock)).toBe(3_600_000)
})
