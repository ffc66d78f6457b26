import fc from 'fast-check'
import { expect, it } from 'vitest'
import { PartMemory } from './part-memory.ts'

it('lets writers in while there is room, and then in turn as others give back', () => {
  const memory = new PartMemory(10)
  const went: string[] = []
  const [a, b, c] = [{}, {}, {}]
  memory.take(a, 6, () => went.push('a'))
  memory.take(b, 4, () => went.push('b'))
  memory.take(c, 5, () => went.push('c'))
  expect(went).toEqual(['a', 'b', 'c']) // the first to wait is favoured
  memory.take(a, 1, () => went.push('a again'))
  memory.take(b, 1, () => went.push('b again'))
  expect(went.slice(3)).toEqual([])
  memory.giveBack(c, 5)
  expect(went.slice(3)).toEqual(['a again'])
  memory.giveBack(a, 7)
  expect(went.slice(4)).toEqual(['b again'])
})

it('never lets all wait for ever, and holds little more than its bound', async () => {
  const plans = fc.array(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(plans, async (writers) => {
      const memory = new PartMemory(20)
      let held = 0
      const work = writers.map(async (takes) => {
        const me = {}
        let mine = 0
        for (const bytes of takes) {
          await new Promise<void>((go) => memory.take(me, bytes, go))
          held += bytes
          mine += bytes
          // One favoured writer at most is beyond the bound, by a part of its own.
          expect(held).toBeLessThanOrEqual(20 + 6 * 8)
        }
        held -= mine
        memory.giveBack(me, mine)
      })
      await Promise.all(work)
      expect(held).toBe(0)
    }),
  )
})
