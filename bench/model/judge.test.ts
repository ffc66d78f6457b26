import { expect, it } from 'vitest'
import { isAllowedCall, type WantedCall } from './judge.ts'

const wanted: WantedCall = {
  name: 'find_flights',
  arguments: { to: ['New York', 'NYC'], seats: [2], cabin: ['economy', ''], range: [{ from: [1], until: [5, ''] }] },
}
const right = { to: 'new york', seats: 2, range: { from: 1 } }
const allowed = (given: Record<string, unknown>, name = 'find_flights'): boolean =>
  isAllowedCall({ name, arguments: given }, wanted)

it('allows any of the values that are right, and optional arguments left out', () => {
  expect(allowed(right)).toBe(true)
  expect(allowed({ ...right, to: 'NYC', cabin: 'Economy', range: { from: 1, until: 5 } })).toBe(true)
})

it('refuses another name, a wrong value, a missing argument and one that was not asked for', () => {
  expect(allowed(right, 'find_trains')).toBe(false)
  expect(allowed({ ...right, seats: 3 })).toBe(false)
  expect(allowed({ ...right, range: { from: 2 } })).toBe(false)
  expect(allowed({ to: 'NYC', range: { from: 1 } })).toBe(false)
  expect(allowed({ ...right, airline: 'Any' })).toBe(false)
  expect(isAllowedCall(undefined, wanted)).toBe(false)
})
