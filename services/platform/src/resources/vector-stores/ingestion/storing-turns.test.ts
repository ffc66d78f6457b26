import { expect, it } from 'vitest'
import { StoringTurns } from './storing-turns.ts'

it('does one at a time, one of each project, also after one that failed', async () => {
  const turns = new StoringTurns()
  const order: string[] = []
  let [running, most] = [0, 0]
  const store = (turn: string, name: string) =>
    turns.do(turn, async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      order.push(name)
      running--
      if (name === 'a1') throw new Error('full')
    })
  const all = [store('a', 'a1'), store('a', 'a2'), store('a', 'a3'), store('b', 'b1'), store('c', 'c1')]
  const [first] = await Promise.allSettled(all)
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'full' } })
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3'])
  expect(most).toBe(1)
  await store('a', 'a4')
  expect(order.at(-1)).toBe('a4')
})
