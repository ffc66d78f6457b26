// Words and meaning made into one list.
import { describe, expect, it } from 'vitest'
import { type Candidate, fuse, type Usual } from './fuse.ts'

const chunks = 1_000
const full = 10
const usual: Usual = {
  spread: { mean: 0.1, deviation: 0.1, count: 200 },
  words: { sum: 0.5 * chunks, squares: 1.25 * chunks, chunks, full },
  meaningWeight: 1,
  wordsWeight: 1,
  limit: 10,
}
const candidate = (id: number, cosine: number, words: number, isNamed = false): Candidate => ({
  ...{ id, cosine, words, isNamed },
})
const placesOf = (candidates: Candidate[], more: Partial<Usual> = {}): number[] =>
  fuse(candidates, { ...usual, ...more }).map(({ id }) => id)

describe('a fused list', () => {
  it('follows the words where they are found, and rather the meaning where few of them are', () => {
    const [near, worded] = [candidate(1, 0.4, 0), candidate(2, 0.1, 3.5)]
    expect(placesOf([near, worded, candidate(3, 0.1, 9)])).toEqual([3, 2, 1])
    expect(placesOf([near, worded])).toEqual([1, 2])
  })

  it('follows the weights of the two, down to one of them alone', () => {
    const list = [candidate(1, 0.4, 0), candidate(2, 0.1, 3.5), candidate(3, 0.15, 9, true)]
    expect(placesOf(list, { wordsWeight: 0.2 })).toEqual([1, 3, 2])
    expect(placesOf(list, { wordsWeight: 0 })).toEqual([1, 3, 2])
    expect(placesOf(list, { meaningWeight: 0 })).toEqual([3, 2, 1])
    const nearer = Array.from({ length: 40 }, (_, id) => candidate(id, 0.9 - id / 100, 0))
    expect(placesOf([...nearer, candidate(77, 0.1, 9, true)], { wordsWeight: 0 }).at(-1)).toBe(77)
  })

  it('has what alone holds an asked word among those wanted, however near others are', () => {
    const nearer = Array.from({ length: 40 }, (_, id) => candidate(id, 0.9 - id / 100, 9))
    const named = candidate(77, 0.1, 5, true)
    const list = fuse([...nearer, named], usual)
    expect(list.findIndex(({ id }) => id === 77)).toBe(7)
    expect(list).toHaveLength(41)
    expect(list.toSorted((a, b) => b.score - a.score)).toEqual(list)
    expect(placesOf([...nearer, candidate(77, 0.1, 5)])[40]).toBe(77)
  })

  it('gives such chunks no more than a fifth of the places, and none where hardly any are wanted', () => {
    const nearer = Array.from({ length: 40 }, (_, id) => candidate(id, 0.9 - id / 100, 9))
    const named = Array.from({ length: 5 }, (_, n) => candidate(100 + n, 0.1, 5, true))
    const isNamed = (id: number): boolean => id >= 100
    expect(
      placesOf([...nearer, ...named])
        .slice(0, 10)
        .filter(isNamed),
    ).toEqual([100, 101])
    expect(
      placesOf([...nearer, ...named], { limit: 3 })
        .slice(0, 40)
        .filter(isNamed),
    ).toEqual([])
  })
})
