import { ManualClock } from '@atoll/kernel/clock/clock'
import { describe, expect, it } from 'vitest'
import { type Caller, CallerCache } from './caller-cache.ts'

const caller = (keyId: string): Caller => ({ kind: 'admin', organizationId: 'org-a', keyId, userId: 'user-a' })

describe('the cache of callers', () => {
  it('remembers for ten seconds', () => {
    const clock = new ManualClock()
    const cache = new CallerCache(clock)
    cache.remember('a', caller('key_a'), cache.generation)
    clock.advanceSeconds(9)
    expect(cache.find('a')?.keyId).toBe('key_a')
    clock.advanceSeconds(1)
    expect(cache.find('a')).toBeUndefined()
    expect(cache.size).toBe(0)
  })

  it('forgets everything when cleared', () => {
    const cache = new CallerCache(new ManualClock())
    cache.remember('a', caller('key_a'), cache.generation)
    cache.clear()
    expect(cache.find('a')).toBeUndefined()
  })

  it('does not keep an answer that was under way when it was cleared', () => {
    const cache = new CallerCache(new ManualClock())
    const generation = cache.generation
    cache.clear()
    cache.remember('a', caller('key_a'), generation)
    expect(cache.find('a')).toBeUndefined()
  })

  it('holds 10,000 and drops the least recently used first', () => {
    const cache = new CallerCache(new ManualClock())
    for (let n = 0; n < 10_000; n++) cache.remember(`${n}`, caller(`key_${n}`), cache.generation)
    cache.find('0')
    cache.remember('one more', caller('key_more'), cache.generation)
    expect(cache.size).toBe(10_000)
    expect(cache.find('0')).toBeDefined()
    expect(cache.find('1')).toBeUndefined()
  })
})
