import { describePostgres } from '@atoll/testkit/both-targets'
import { createPostgresDatabase } from '@atoll/testkit/postgres'
import { silentLog } from '@atoll/testkit/silent-log'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import type { Bucket, Limits } from './limits.ts'
import { limitMigrations } from './migrations.ts'
import { createPostgresLimits, pruneRateBuckets } from './postgres.ts'

const day = 86_400_000
/** With a long period nothing worth counting flows back while a test runs. */
const bucket = (key: string, capacity: number, periodMs = 1000 * day): Bucket => ({ key, capacity, periodMs })

describePostgres('limits in PostgreSQL', () => {
  let db: Database
  let otherNode: Database
  let limits: Limits

  beforeAll(async () => {
    const url = await createPostgresDatabase()
    db = await openDatabase({ kind: 'postgres', url }, { log: silentLog })
    otherNode = await openDatabase({ kind: 'postgres', url }, { log: silentLog })
    await migrate(db, limitMigrations)
    limits = createPostgresLimits(db)
  })
  afterAll(() => Promise.all([db.close(), otherNode.close()]))

  /** Time goes by for a bucket when its past is moved back: the clock is the database's own. */
  const age = (key: string, ms: number) =>
    sql`update rate_buckets set at_us = at_us - ${ms * 1000}::bigint where key = ${key}`.execute(db.queries)
  const remaining = async (one: Bucket) => (await limits.take([{ bucket: one, amount: 0 }])).states[0]?.remaining

  it('grants a full bucket at once, then what flows back evenly', async () => {
    const one = bucket('flow', 60)
    expect(await limits.take([{ bucket: one, amount: 60 }])).toMatchObject({
      granted: true,
      states: [{ limit: 60, remaining: 0, resetMs: 1000 * day }],
    })
    const refused = await limits.take([{ bucket: one, amount: 2 }])
    expect(refused).toMatchObject({ granted: false, refused: { index: 0 } })
    const inTwo = (2 / 60) * 1000 * day
    expect(refused.refused?.retryAfterMs).toBeGreaterThan(inTwo - 60_000)
    expect(refused.refused?.retryAfterMs).toBeLessThanOrEqual(inTwo + 1)
    await age('flow', inTwo)
    expect((await limits.take([{ bucket: one, amount: 2 }])).granted).toBe(true)
    expect((await limits.take([{ bucket: one, amount: 1 }])).granted).toBe(false)
  })

  it('takes from all buckets or from none', async () => {
    const [requests, tokens, images] = [bucket('requests', 10), bucket('tokens', 100), bucket('images', 5)] as const
    const verdict = await limits.take([
      { bucket: requests, amount: 1 },
      { bucket: tokens, amount: 101 },
      { bucket: images, amount: 1 },
    ])
    expect(verdict).toMatchObject({
      granted: false,
      states: [{ remaining: 10 }, { remaining: 100 }, { remaining: 5 }],
      refused: { index: 1, retryAfterMs: Number.POSITIVE_INFINITY },
    })
    expect([await remaining(requests), await remaining(tokens), await remaining(images)]).toEqual([10, 100, 5])
  })

  it('may be overdrawn by a correction, and never holds more than its capacity', async () => {
    const one = bucket('corrected', 100)
    await limits.giveBack([{ bucket: one, amount: -150 }])
    expect((await limits.take([{ bucket: one, amount: 1 }])).granted).toBe(false)
    await limits.giveBack([{ bucket: one, amount: 60 }])
    expect(await remaining(one)).toBe(10)
    await limits.giveBack([{ bucket: one, amount: 1e6 }])
    expect(await remaining(one)).toBe(100)
  })

  it('counts fractions and large amounts', async () => {
    const one = bucket('large', 1e12 + 1)
    await limits.take([{ bucket: one, amount: 0.5 }])
    expect((await limits.take([{ bucket: one, amount: 1e12 }])).granted).toBe(true)
    expect((await limits.take([{ bucket: one, amount: 1e12 }])).granted).toBe(false)
    await limits.giveBack([{ bucket: one, amount: 0.5 }])
    expect((await limits.take([{ bucket: bucket('few', 1), amount: 0.75 }])).states[0]).toMatchObject({ remaining: 0 })
    expect((await limits.take([{ bucket: bucket('few', 1), amount: 0.75 }])).granted).toBe(false)
    expect((await limits.take([{ bucket: bucket('few', 1), amount: 0.25 }])).granted).toBe(true)
  })

  it('follows a capacity that changes', async () => {
    await limits.take([{ bucket: bucket('changing', 100), amount: 1 }])
    expect((await limits.take([{ bucket: bucket('changing', 10), amount: 11 }])).refused?.retryAfterMs).toBe(
      Number.POSITIVE_INFINITY,
    )
    expect((await limits.take([{ bucket: bucket('changing', 10), amount: 10 }])).granted).toBe(true)
    await age('changing', 500 * day)
    expect(await remaining(bucket('changing', 1000))).toBe(500)
    expect((await limits.take([{ bucket: bucket('changing', 0), amount: 1 }])).granted).toBe(false)
  })

  it('refills on after the database’s clock was set back', async () => {
    const one = bucket('clock', 100)
    await limits.take([{ bucket: one, amount: 100 }])
    await age('clock', -day)
    expect(await remaining(one)).toBe(0)
    await age('clock', 500 * day)
    expect(await remaining(one)).toBe(50)
  })

  it('holds across two nodes that take at the same time', async () => {
    const one = bucket('shared', 100)
    const nodes = [limits, createPostgresLimits(otherNode)]
    const verdicts = await Promise.all(
      Array.from({ length: 300 }, (_, n) => nodes[n % 2]!.take([{ bucket: one, amount: 1 + (n % 3) }])),
    )
    const granted = verdicts.reduce((sum, verdict, n) => sum + (verdict.granted ? 1 + (n % 3) : 0), 0)
    expect(granted).toBe(100)
  })

  it('keeps the sum of all-or-nothing takes of two nodes within both buckets', async () => {
    const wide = bucket('wide', 100)
    const narrow = bucket('narrow', 30)
    const nodes = [limits, createPostgresLimits(otherNode)]
    const both = [wide, narrow].map((each) => ({ bucket: each, amount: 1 }))
    const verdicts = await Promise.all(Array.from({ length: 200 }, (_, n) => nodes[n % 2]!.take(both)))
    const granted = verdicts.filter((verdict) => verdict.granted).length
    expect(granted).toBeLessThanOrEqual(30)
    expect(await remaining(narrow)).toBe(30 - granted)
    expect(await remaining(wide)).toBe(100 - granted)
  })

  it('never grants more than the capacity and the refill of the time that went by', async () => {
    const step = fc.record({ waitDays: fc.nat(80), amount: fc.nat(40) })
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100 }), fc.array(step, { maxLength: 12 }), async (capacity, steps) => {
        const one = bucket(`property-${runs++}`, capacity)
        let [granted, days] = [0, 0]
        for (const { waitDays, amount } of steps) {
          await age(one.key, waitDays * day)
          // Before its first take a bucket is full: time adds nothing.
          if (granted > 0) days += waitDays
          if ((await limits.take([{ bucket: one, amount }])).granted) granted += amount
          expect(granted).toBeLessThanOrEqual(capacity + (days / 1000) * capacity + 0.001)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('does not wait for the disk', async () => {
    const { rows } = await sql`select relpersistence from pg_class where relname = 'rate_buckets'`.execute(db.queries)
    expect(rows).toEqual([{ relpersistence: 'u' }])
  })

  it('prunes buckets that are full again, and only those', async () => {
    await db.queries.deleteFrom('rate_buckets').execute()
    const [full, used] = [bucket('full-again', 10), bucket('in-use', 10)]
    await limits.take([full, used].map((each) => ({ bucket: each, amount: 5 })))
    await age('full-again', 501 * day)
    expect(await pruneRateBuckets(db)).toBe(1)
    expect(await remaining(used)).toBe(5)
    expect(await remaining(full)).toBe(10)
  })
})
