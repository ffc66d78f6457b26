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

const prompt = (unreadTokens: number, passedOver = 0) => ({ unreadTokens, describesPrompt: false, passedOver })

it('reads short prompts in a step of their own, else the shortest first, and what is left over in others', () => {
  const [long, longer, short] = [prompt(300), prompt(1_000), prompt(20)]
  expect(planReading([longer, long], 64)).toEqual([[long, 64]])
  expect(planReading([longer, short], 64)).toEqual([[short, 20]])
  expect(planReading([short], 64)).toEqual([[short, 20]])
  expect(planReading([longer, short], 1)).toEqual([[short, leastSlice]])
  const [longest, half] = [prompt(2_000), prompt(40)]
  expect(planReading([longest, half], 64)).toEqual([
    [half, 40],
    [longest, 24],
  ])
  expect(planReading([], 64)).toEqual([])
})

it('reads a short prompt in the very next step and alone, however long a longer one was read before', () => {
  for (let steps = 1; steps < 10; steps++) {
    const [long, other] = [prompt(3_000), prompt(2_000)]
    for (let step = 0; step < steps; step++) planReading([long], leastSlice)
    const short = prompt(7)
    expect(planReading([long, short], leastSlice)).toEqual([[short, 7]])
    expect(planReading([long, other], leastSlice)).toEqual([[other, leastSlice]])
  }
})

it('reads on in the oldest after three steps of others, however many short ones come and however small a step is', () => {
  const oldest = prompt(300)
  const turns = Array.from({ length: 9 }, () => planReading([oldest, prompt(4)], leastSlice))
  const sizes = turns.map((slices) => slices.map(([, tokens]) => tokens))
  expect(sizes).toEqual([[4], [4], [4], [leastSlice], [4], [4], [4], [leastSlice], [4]])
})
