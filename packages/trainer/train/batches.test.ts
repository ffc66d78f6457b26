import { expect, it } from 'vitest'
import { shareOut, stepReminders } from './batches.ts'

const exampleOf = (length: number) => ({
  tokens: Array<number>(length).fill(7),
  weights: Array<number>(length).fill(1),
})

it('brings one reminder for four examples, and all of them before one comes again', () => {
  const all = Array.from({ length: 10 }, (_, index) => index)
  const taken = Array.from({ length: 40 }, (_, step) =>
    stepReminders(all, step + 1, { examples: 20, batchSize: 2, seed: 5 }),
  )
  expect(taken.map(({ length }) => length).slice(0, 4)).toEqual([0, 1, 0, 1])
  const inOrder = taken.flat()
  expect(inOrder).toHaveLength(20)
  expect([...inOrder.slice(0, 10)].sort()).toEqual(all)
  expect([...inOrder.slice(10)].sort()).toEqual(all)
  expect(stepReminders(all, 6, { examples: 80, batchSize: 8, seed: 5 })).toHaveLength(2)
  expect(stepReminders([], 6, { examples: 80, batchSize: 8, seed: 5 })).toEqual([])
})

it('counts the examples that are there, not those that would fit into a step', () => {
  const all = Array.from({ length: 240 }, (_, index) => index)
  const lengths = (examples: number, batchSize: number): number[] =>
    [1, 2, 3, 4].map((step) => stepReminders(all, step, { examples, batchSize, seed: 5 }).length)
  expect(lengths(12, 256)).toEqual([3, 3, 3, 3])
  expect(lengths(12, 10)).toEqual([2, 1, 2, 1])
})

it('gives all threads about as much to do, and reminders rows of their own', () => {
  const shares = shareOut([60, 60, 60].map(exampleOf), [exampleOf(150)], { threads: 2, rowLength: 512 })
  const tokensOf = (rows: { tokens: Int32Array }[]): number[] => rows.map(({ tokens }) => tokens.length)
  expect(shares.map(({ rows, reminders }) => [tokensOf(rows), tokensOf(reminders)])).toEqual([
    [[], [150]],
    [[180], []],
  ])
})
