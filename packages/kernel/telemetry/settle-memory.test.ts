import { describe, expect, it } from 'vitest'
import { LoadPace } from './settle-memory.ts'

/** One look every ten seconds; those after which a load was over. */
function endings(shares: readonly number[]): number[] {
  const pace = new LoadPace()
  return shares.flatMap((share, look) => {
    pace.heard(share)
    return pace.isOver(look * 10_000) ? [look] : []
  })
}

describe('a load is over', () => {
  it('when it is quiet again, and that is told once', () => {
    expect(endings([0, 0.9, 0.9, 0, 0, 0])).toEqual([3])
  })

  it('not while there is still something to do', () => {
    expect(endings([0.9, 0.9, 0.1, 0.1, 0.9])).toEqual([])
  })

  it('never where there was not much to do', () => {
    expect(endings([0.1, 0, 0.1, 0])).toEqual([])
  })

  it('at most once a minute', () => {
    const shortLoads = Array.from({ length: 14 }, (_, look) => (look % 2 === 0 ? 0.9 : 0))
    expect(endings(shortLoads)).toEqual([1, 7, 13])
  })
})
