import { expect, it } from 'vitest'
import { mayTry } from './attempts.ts'

it('five attempts that keep nothing are enough', () => {
  expect([1, 5, 6].map((attempt) => mayTry(attempt, {}))).toEqual([true, true, false])
})

it('an attempt that keeps something gives five more, up to a hundred', () => {
  expect([9, 10].map((attempt) => mayTry(attempt, { keptBy: 4 }))).toEqual([true, false])
  expect([100, 101].map((attempt) => mayTry(attempt, { keptBy: 99 }))).toEqual([true, false])
})
