import { expect, it } from 'vitest'
import { EndedItems } from './ended-items.ts'

it('keeps the items that were used last, within its letters', () => {
  const kept = new EndedItems(80)
  for (let number = 0; number < 8; number++) kept.set(`resp_${number}`, [], 10)
  expect(kept.get('resp_0')).toEqual([])
  kept.set('resp_8', [], 10)
  expect(kept.get('resp_1')).toBeUndefined()
  expect(kept.get('resp_0')).toEqual([])
  kept.set('resp_9', [], 11)
  expect(kept.get('resp_9')).toBeUndefined()
  kept.set('resp_0', [], 10)
  expect(kept.get('resp_2')).toEqual([])
})
