import { expect, it } from 'vitest'
import { CircleGuard } from './circle-guard.ts'

/** How many tokens come before the guard ends them; absent: it lets all through. */
function endedAfter(tokens: number[]): number | undefined {
  const guard = new CircleGuard()
  const at = tokens.findIndex((_, last) => guard.closes(tokens.slice(0, last + 1)))
  return at < 0 ? undefined : at + 1
}
const times = (count: number, circle: number[]) => Array.from({ length: count }, () => circle).flat()
const counted = (length: number) => Array.from({ length }, (_, n) => n)

it('ends one token, a phrase and a sentence that go on for ever, however they began', () => {
  expect(endedAfter(times(100, [7]))).toBe(49)
  expect(endedAfter([1, 2, 3, ...times(100, [7, 8, 9])])).toBe(3 + 3 + 48)
  expect(endedAfter(times(10, counted(60)))).toBe(4 * 60)
})

it('lets an answer repeat itself a little: a list of lines that differ, a refrain, a row of zeros', () => {
  expect(endedAfter(counted(50).flatMap((n) => [1000, 1001, 1002, n, 1003]))).toBeUndefined()
  expect(endedAfter(times(3, counted(60)))).toBeUndefined()
  expect(endedAfter(times(40, [0]))).toBeUndefined()
})
