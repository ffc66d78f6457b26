// What is written at once, of much that is to be written.
import { describe, expect, it } from 'vitest'
import type { KeptTask } from './objects.ts'
import type { Write } from './swarm-store.ts'
import { fitsAtOnce, maxObjectsAtOnce, partsOf } from './write-parts.ts'

const writesOf = (count: number, bytes: number): Write[] =>
  Array.from({ length: count }, (_, number) => ({
    ...{ kind: 'task' as const, index: 0 },
    object: { ID: `task${number}`, Status: { Message: 'x'.repeat(bytes) } } as unknown as KeptTask,
  }))
const removalsOf = (count: number) =>
  Array.from({ length: count }, (_, number) => ({ kind: 'task' as const, id: `${number}` }))

describe('what is written to the store', () => {
  it('goes at once where it is little, and is nothing where nothing is to be done', () => {
    const [writes, removals] = [writesOf(3, 10), removalsOf(2)]
    expect(partsOf(writes, removals)).toEqual([{ writes, removals }])
    expect(partsOf([], [])).toEqual([])
  })

  it.each([
    { writes: 1_000, bytes: 10, removals: 0, parts: 4 },
    { writes: 0, bytes: 0, removals: 600, parts: 3 },
    { writes: 260, bytes: 10, removals: 300, parts: 3 },
    { writes: 40, bytes: 100_000, removals: 10, parts: 4 },
    { writes: 3, bytes: 2_000_000, removals: 0, parts: 3 },
  ])('goes in $parts parts: $writes objects of $bytes bytes, $removals that go', (case_) => {
    const [writes, removals] = [writesOf(case_.writes, case_.bytes), removalsOf(case_.removals)]
    const parts = partsOf(writes, removals)
    expect(parts).toHaveLength(case_.parts)
    expect(parts.flatMap((part) => part.writes)).toEqual(writes)
    expect(parts.flatMap((part) => part.removals)).toEqual(removals)
    for (const part of parts) {
      expect(part.writes.length + part.removals.length).toBeLessThanOrEqual(maxObjectsAtOnce)
      expect(part.writes.length === 1 || fitsAtOnce(part.writes)).toBe(true)
    }
  })
})
