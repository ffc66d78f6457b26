import { describe, expect, it } from 'vitest'
import { EngineEvents } from '../../events/engine-events.ts'
import type { CacheRecord } from '../../images/build-cache.ts'
import { BuildCache } from './build-cache.ts'

const now = Date.parse('2024-06-01T12:00:00Z')
const hour = 3_600_000

const record = (id: string, more: Partial<CacheRecord> = {}): CacheRecord => ({
  ...{ id, parent: '', type: 'regular', description: `RUN ${id}`, isShared: false, isInUse: false },
  ...{ bytes: 100, createdAt: now - hour, usedAt: now - hour, uses: 1 },
  ...more,
})

function cacheOf(...records: CacheRecord[]) {
  const events = new EngineEvents(() => now)
  const removed: string[] = []
  const remove = async (gone: readonly CacheRecord[]) => void removed.push(...gone.map(({ id }) => id))
  const kept = { records: async () => records, layers: () => records, remove }
  const cache = new BuildCache(kept, events, () => now)
  const prune = async (filters = {}, more = {}) => {
    const query = { filters, all: false, 'keep-storage': undefined, 'reserved-space': undefined, ...more }
    return (await cache.prune(query)).CachesDeleted
  }
  return { cache, events, prune, removed }
}

describe('pruning the build cache', () => {
  it('takes what no image has and no build uses, and with `all` the rest; it is told by an event', async () => {
    const records = [
      record('a'),
      record('shared', { isShared: true }),
      record('used', { isInUse: true }),
      record('folder', { type: 'exec.cachemount' }),
    ]
    const { cache, events, prune } = cacheOf(...records)
    expect(await prune()).toEqual(['a'])
    expect(await prune({}, { all: true })).toEqual(['a', 'shared', 'folder'])
    expect(events.past.map(({ event }) => event)).toMatchObject([
      { Type: 'builder', Action: 'prune', Actor: { Attributes: { reclaimed: '100' } } },
      { Actor: { Attributes: { reclaimed: '200' } } },
    ])
    expect(await cache.usage()).toMatchObject([
      { ID: 'a', Size: 100, Type: 'regular', InUse: false, Parents: [] },
      {},
      {},
      {},
    ])
  })

  it('takes filters', async () => {
    const { prune } = cacheOf(
      record('aa', { usedAt: now - 48 * hour, parent: 'p' }),
      record('ab', { description: 'COPY x' }),
      record('b', { type: 'exec.cachemount' }),
    )
    expect(await prune({ until: ['24h'] })).toEqual(['aa'])
    expect(await prune({ id: ['a'] })).toEqual(['aa', 'ab'])
    expect(await prune({ parent: ['p'] })).toEqual(['aa'])
    expect(await prune({ description: ['COPY'] })).toEqual(['ab'])
    expect(await prune({ type: ['exec.cachemount'] }, { all: true })).toEqual(['b'])
    expect(await prune({ shared: ['true'] }, { all: true })).toEqual([])
    await expect(prune({ color: ['blue'] })).rejects.toThrow("invalid filter 'color'")
  })

  it('keeps as many bytes as it is told to, of what was used last', async () => {
    const { prune } = cacheOf(
      record('new', { usedAt: now }),
      record('old', { usedAt: 1 }),
      record('middle', { usedAt: 2 }),
    )
    expect(await prune({}, { 'keep-storage': 150 })).toEqual(['old', 'middle'])
    expect(await prune({}, { 'reserved-space': 1_000 })).toEqual([])
  })

  it('happens by itself when there is too much', async () => {
    const gigabytes = (count: number) => ({ bytes: count * 1024 ** 3 })
    const { cache, removed } = cacheOf(
      record('old', { ...gigabytes(1), usedAt: 1 }),
      record('shared', { ...gigabytes(100), isShared: true, usedAt: 5 }),
      record('middle', { ...gigabytes(20), usedAt: 2 }),
      record('new', { ...gigabytes(30), usedAt: 3 }),
    )
    await cache.trim()
    expect(removed).toEqual(['middle', 'old'])
  })
})
