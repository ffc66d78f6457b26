import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inOrder } from './in-order.ts'

async function* numbers(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number++) yield number
}

async function run(count: number): Promise<{ handled: [number[], boolean][]; most: number }> {
  const handled: [number[], boolean][] = []
  let running = 0
  let most = 0
  await inOrder(
    numbers(count),
    3,
    async (number) => {
      most = Math.max(most, ++running)
      // Later ones end first.
      await setTimeout((count - number) % 3)
      running--
      return [number]
    },
    async (results, isLast) => void handled.push([results, isLast]),
  )
  return { handled, most }
}

it('hands results on in the order of the items, and marks the last', async () => {
  for (const count of [1, 2, 3, 4, 10]) {
    const { handled, most } = await run(count)
    expect(handled.map(([results]) => results)).toEqual(Array.from({ length: count }, (_, index) => [index]))
    expect(handled.filter(([, isLast]) => isLast)).toEqual([[[count - 1], true]])
    expect(most).toBe(Math.min(3, count))
  }
})

it('hands on one empty last when there are no items', async () => {
  expect((await run(0)).handled).toEqual([[[], true]])
})

it('stops at the first failure', async () => {
  const handled: number[] = []
  const work = inOrder(
    numbers(10),
    3,
    async (number) => {
      if (number === 2) throw new Error('no')
      return [number]
    },
    async (results) => void handled.push(...results),
  )
  await expect(work).rejects.toThrow('no')
  expect(handled).toEqual([0, 1])
})
