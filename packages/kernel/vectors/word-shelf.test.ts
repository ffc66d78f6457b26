import { expect, it } from 'vitest'
import { askedWords } from './asked-words.ts'
import { bagOf } from './bag.ts'
import { WordShelf } from './word-shelf.ts'

const near = Float64Array.of(3, 700, 1_024, 1_030)

function grow(shelf: WordShelf, from: number, to: number): void {
  for (let number = from; number <= to; number++) {
    shelf.add(number, number % 5, bagOf(`Note ${number} of ${number % 90}.`, ''))
  }
}

function joinAll(shelf: WordShelf): number {
  let steps = 0
  for (; shelf.canJoin; steps++) shelf.joinSome()
  return steps
}

it('joins small blocks to a full one step by step, and finds the same before, meanwhile and afterwards', () => {
  const shelf = new WordShelf()
  const find = () => {
    // What is usual is estimated, from other blocks as they are others.
    const { numbers, scores, named, wanted } = shelf.search(askedWords('note 55 notes'), 9, near)
    return { numbers, scores, named, wanted }
  }
  grow(shelf, 1, 1_023)
  expect(shelf.canJoin).toBe(false)
  grow(shelf, 1_024, 1_024)
  expect(shelf.full).toHaveLength(0)
  grow(shelf, 1_025, 1_040)
  const before = find()
  for (let steps = 1; shelf.canJoin; steps++) {
    shelf.joinSome()
    expect(find()).toEqual(before)
    expect([shelf.count, shelf.last]).toEqual([1_040, 1_040])
    if (!shelf.canJoin) expect(steps).toBeGreaterThanOrEqual(5)
  }
  expect(shelf.full).toHaveLength(1)
  expect(near.every((number) => shelf.ownerOf(number) === number % 5)).toBe(true)
})

it('knows what was removed while blocks were being joined', () => {
  const shelf = new WordShelf()
  grow(shelf, 1, 1_024)
  shelf.joinSome()
  shelf.keepOnly(new Set([0, 1, 2, 4]))
  joinAll(shelf)
  expect(shelf.count).toBe(819)
  expect([shelf.ownerOf(3), shelf.ownerOf(4)]).toEqual([undefined, 4])
})

it('has joined the last ones before it begins with the next, where nobody had time for them', () => {
  const shelf = new WordShelf()
  grow(shelf, 1, 3_100)
  expect(shelf.full).toHaveLength(2)
  expect(joinAll(shelf)).toBeGreaterThan(0)
  expect(shelf.full.flatMap(({ data }) => [...data.numbers])).toEqual(Array.from({ length: 3_072 }, (_, at) => at + 1))
})
