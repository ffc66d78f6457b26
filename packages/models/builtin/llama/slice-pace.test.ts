import { expect, it } from 'vitest'
import { planReading } from './reading-plan.ts'
import { leastSlice, SlicePace, sliceOf } from './slice-pace.ts'

it('makes slices as long as the machine does in a moment, and never too small or too large', () => {
  const pace = new SlicePace(256)
  for (let step = 0; step < 40; step++) pace.learn(64, 64 * 0.5)
  expect(pace.tokens).toBe(80)
  for (let step = 0; step < 40; step++) pace.learn(64, 64 * 100)
  expect(pace.tokens).toBe(leastSlice)
  for (let step = 0; step < 80; step++) pace.learn(64, 0.1)
  expect(pace.tokens).toBe(256)
})

it('begins with the least, and believes a step that was slower than thought at once', () => {
  const pace = new SlicePace(256)
  expect(pace.tokens).toBe(leastSlice)
  for (let step = 0; step < 40; step++) pace.learn(64, 64 * 0.5)
  pace.learn(80, 80 * 2.5)
  expect(pace.tokens).toBe(16)
  pace.learn(16, 16 * 0.5)
  expect(pace.tokens).toBe(16)
})

it('leaves no rest that is too short for a step of its own', () => {
  expect(sliceOf(10, 64)).toBe(10)
  expect(sliceOf(71, 64)).toBe(71)
  expect(sliceOf(72, 64)).toBe(64)
  expect(sliceOf(500, 70)).toBe(64)
})

it('reads a short prompt in a step of its own, and gives the oldest the rest of every so many', () => {
  const prompt = (unreadTokens: number) => ({ unreadTokens, describesPrompt: false })
  const [long, longer, short] = [prompt(300), prompt(1_000), prompt(20)]
  expect(planReading([longer, long], 64, false)).toEqual([[long, 64]])
  expect(planReading([longer, long], 64, true)).toEqual([[longer, 64]])
  expect(planReading([longer, short], 64, false)).toEqual([[short, 20]])
  expect(planReading([longer, long, short], 64, true)).toEqual([
    [short, 20],
    [longer, 40],
  ])
  expect(planReading([short], 64, false)).toEqual([[short, 20]])
  expect(planReading([longer, short], 1, false)).toEqual([[short, 8]])
  expect(planReading([], 64, true)).toEqual([])
})

it('reads on in the oldest when it is its turn, however many short ones come and however small the step is', () => {
  const prompt = (unreadTokens: number) => ({ unreadTokens, describesPrompt: false })
  const [long, short] = [prompt(300), prompt(4)]
  expect(planReading([long, short], leastSlice, false)).toEqual([[short, 4]])
  expect(planReading([long, short], leastSlice, true)).toEqual([
    [short, 4],
    [long, leastSlice],
  ])
})

it('reads a prompt that fits into the least step without waiting for the turn of the oldest', () => {
  const prompt = (unreadTokens: number) => ({ unreadTokens, describesPrompt: false })
  const [long, short] = [prompt(300), prompt(7)]
  const [[first] = []] = planReading([long, short], leastSlice, true)
  expect(first).toBe(short)
  expect(planReading([short, long], leastSlice, true)).toEqual([[short, 7]])
})
