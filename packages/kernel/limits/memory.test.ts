import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../clock/clock.ts'
import type { Bucket } from './limits.ts'
import { createMemoryLimits } from './memory.ts'

const minute = 60_000
const bucket = (capacity: number, key = 'requests', periodMs = minute): Bucket => ({ key, capacity, periodMs })

describe('limits in memory', () => {
  it('grants a full bucket at once, then what flows back evenly', async () => {
    const clock = new ManualClock()
    const limits = createMemoryLimits(clock)
    const take = { bucket: bucket(60), amount: 60 }
    expect(await limits.take([take])).toEqual({
      granted: true,
      states: [{ limit: 60, remaining: 0, resetMs: minute }],
    })
    expect(await limits.take([{ ...take, amount: 2 }])).toEqual({
      granted: false,
      states: [{ limit: 60, remaining: 0, resetMs: minute }],
      refused: { index: 0, retryAfterMs: 2000 },
    })
    clock.advanceSeconds(2)
    expect((await limits.take([{ ...take, amount: 2 }])).granted).toBe(true)
    expect((await limits.take([{ ...take, amount: 1 }])).granted).toBe(false)
  })

  it('takes from all buckets or from none', async () => {
    const limits = createMemoryLimits(new ManualClock())
    const requests = bucket(10)
    const tokens = bucket(100, 'tokens')
    const verdict = await limits.take([
      { bucket: requests, amount: 1 },
      { bucket: tokens, amount: 101 },
      { bucket: bucket(5, 'images'), amount: 1 },
    ])
    expect(verdict.refused).toEqual({ index: 1, retryAfterMs: Number.POSITIVE_INFINITY })
    expect(verdict.states.map(({ remaining }) => remaining)).toEqual([10, 100, 5])
  })

  it('only looks when the amount is 0, even into an overdrawn bucket', async () => {
    const limits = createMemoryLimits(new ManualClock())
    const tokens = bucket(100, 'tokens')
    await limits.giveBack([{ bucket: tokens, amount: -150 }])
    const verdict = await limits.take([{ bucket: tokens, amount: 0 }])
    expect(verdict).toEqual({ granted: true, states: [{ limit: 100, remaining: 0, resetMs: 1.5 * minute }] })
    expect((await limits.take([{ bucket: tokens, amount: 1 }])).refused?.retryAfterMs).toBe(0.51 * minute)
  })

  it('never gives back beyond the capacity', async () => {
    const limits = createMemoryLimits(new ManualClock())
    await limits.take([{ bucket: bucket(10), amount: 3 }])
    await limits.giveBack([{ bucket: bucket(10), amount: 50 }])
    expect((await limits.take([{ bucket: bucket(10), amount: 0 }])).states[0]?.remaining).toBe(10)
  })

  it('follows a capacity that changes', async () => {
    const clock = new ManualClock()
    const limits = createMemoryLimits(clock)
    await limits.take([{ bucket: bucket(100), amount: 1 }])
    expect((await limits.take([{ bucket: bucket(10), amount: 11 }])).refused?.retryAfterMs).toBe(
      Number.POSITIVE_INFINITY,
    )
    expect((await limits.take([{ bucket: bucket(10), amount: 10 }])).states[0]).toMatchObject({
      limit: 10,
      remaining: 0,
    })
    clock.advanceSeconds(30)
    expect((await limits.take([{ bucket: bucket(1000), amount: 0 }])).states[0]).toMatchObject({ remaining: 500 })
  })

  it('grants nothing from a bucket of capacity 0, and says that waiting is useless', async () => {
    const limits = createMemoryLimits(new ManualClock())
    const verdict = await limits.take([{ bucket: bucket(0), amount: 1 }])
    expect(verdict.refused?.retryAfterMs).toBe(Number.POSITIVE_INFINITY)
    expect(verdict.states).toEqual([{ limit: 0, remaining: 0, resetMs: 0 }])
  })

  it('refuses amounts and buckets that are no numbers', async () => {
    const limits = createMemoryLimits(new ManualClock())
    await expect(limits.take([{ bucket: bucket(1), amount: Number.NaN }])).rejects.toThrow('requests')
    await expect(limits.take([{ bucket: bucket(1), amount: -1 }])).rejects.toThrow('requests')
    await expect(limits.take([{ bucket: bucket(Number.NaN), amount: 1 }])).rejects.toThrow('requests')
    await expect(limits.giveBack([{ bucket: bucket(1), amount: Number.NaN }])).rejects.toThrow('requests')
  })

  it('forgets buckets that are full again', async () => {
    const clock = new ManualClock()
    const limits = createMemoryLimits(clock)
    for (let n = 0; n < 5000; n++) await limits.take([{ bucket: bucket(10, `key-${n}`), amount: 1 }])
    expect(limits.size).toBeGreaterThan(4000)
    clock.advanceSeconds(60)
    for (let n = 0; n < 5000; n++) await limits.take([{ bucket: bucket(10, 'busy'), amount: 0 }])
    expect(limits.size).toBeLessThan(10)
  })

  it('loses no take while it forgets full buckets', async () => {
    const clock = new ManualClock()
    const limits = createMemoryLimits(clock)
    for (let round = 0; round < 20; round++) {
      const all = Array.from({ length: 7 }, (_, n) => ({ bucket: bucket(10, `key-${n}`), amount: 10 }))
      expect((await limits.take(all)).granted).toBe(true)
      for (const take of all) expect((await limits.take([{ ...take, amount: 1 }])).granted).toBe(false)
      clock.advanceSeconds(60)
    }
  })

  it('never grants more than the capacity and the refill of the time that went by', async () => {
    const step = fc.record({ waitMs: fc.nat(5000), amount: fc.nat(40), giveBack: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100 }), fc.array(step, { maxLength: 60 }), async (capacity, steps) => {
        const clock = new ManualClock()
        const limits = createMemoryLimits(clock)
        const one = bucket(capacity)
        const granted: { at: number; net: number }[] = []
        for (const { waitMs, amount, giveBack } of steps) {
          clock.advanceSeconds(waitMs / 1000)
          const verdict = await limits.take([{ bucket: one, amount }])
          if (!verdict.granted) continue
          const back = giveBack ? Math.floor(amount / 2) : 0
          await limits.giveBack([{ bucket: one, amount: back }])
          granted.push({ at: clock.now(), net: amount - back })
        }
        expectWithin(granted, capacity)
      }),
      { numRuns: 300 },
    )
  })
})

/** In every window between two grants. */
function expectWithin(granted: readonly { at: number; net: number }[], capacity: number): void {
  for (const [first, { at: from }] of granted.entries()) {
    let total = 0
    for (const { at, net } of granted.slice(first)) {
      total += net
      expect(total).toBeLessThanOrEqual(capacity + ((at - from) * capacity) / minute + 0.001)
    }
  }
}
