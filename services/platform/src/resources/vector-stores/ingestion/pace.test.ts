import { expect, it } from 'vitest'
import { inBatches } from './batches.ts'
import { Pace } from './pace.ts'

it('gives a fast model much at once and a slow one little, and learns which it is', () => {
  const pace = new Pace()
  const first = pace.tokens
  for (let call = 0; call < 20; call++) pace.note(pace.tokens, 50)
  expect(pace.tokens).toBeGreaterThan(first * 4)
  for (let call = 0; call < 50; call++) pace.note(800, 1_000)
  expect(pace.tokens).toBeLessThan(1_000)
  for (let call = 0; call < 50; call++) pace.note(800, 100_000)
  expect(pace.tokens).toBeGreaterThan(0)
})

it('puts at least one chunk into a batch, and never too many', async () => {
  async function* chunks(count: number, tokens: number) {
    for (let ordinal = 0; ordinal < count; ordinal++) yield { ordinal, heading: '', text: 'x', tokens }
  }
  const sizes = async (count: number, tokens: number, max: number): Promise<number[]> => {
    const found: number[] = []
    for await (const { length } of inBatches(chunks(count, tokens), () => max)) found.push(length)
    return found
  }
  expect(await sizes(3, 800, 100)).toEqual([1, 1, 1])
  expect(await sizes(5, 100, 250)).toEqual([2, 2, 1])
  expect(await sizes(130, 1, 1_000_000)).toEqual([64, 64, 2])
  expect(await sizes(0, 1, 10)).toEqual([])
})
