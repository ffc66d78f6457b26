import { expect, it } from 'vitest'
import { type Keyed, radixSteps } from './radix-sort.ts'

const listOf = (pairs: readonly (readonly [number, number])[]) => ({
  keys: Uint32Array.from(pairs, ([key]) => key),
  values: Uint16Array.from(pairs, ([, value]) => value),
})

function radixSort(list: Keyed): Keyed {
  const steps = radixSteps(list)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

it('sorts by key, over all 32 bits, and keeps equal keys in their order', () => {
  const pairs = Array.from({ length: 20_000 }, (_, at) => [Math.imul(at % 7_001, 2_654_435_761) >>> 0, at] as const)
  const sorted = pairs.toSorted(([one, first], [other, second]) => one - other || first - second)
  expect(radixSort(listOf(pairs))).toEqual(listOf(sorted))
})

it('takes a list of none and of one', () => {
  expect(radixSort(listOf([]))).toEqual(listOf([]))
  expect(radixSort(listOf([[4_294_967_295, 3]]))).toEqual(listOf([[4_294_967_295, 3]]))
})
