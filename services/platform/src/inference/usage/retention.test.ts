import { ManualClock } from '@atoll/kernel/clock/clock'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { usageEventsMigration } from '../../migrations/0005-usage-events.ts'
import { usageAndLimitsMigration } from '../../migrations/0015-usage-and-limits.ts'
import { pruneUsage } from './retention.ts'
import { insertEvents } from './store.ts'
import { usageEvent } from './testing/usage-event.ts'

const day = 86_400

describeBothDatabases('old usage', (open) => {
  it('is forgotten call by call and minute by minute, and stays in the sums of hours and days', async () => {
    const db = await open([usageEventsMigration, usageAndLimitsMigration])
    const clock = new ManualClock()
    const now = Math.floor(clock.now() / 1000)
    const events = Array.from({ length: 1_300 }, (_, n) =>
      usageEvent({
        id: `usage_${n}`,
        organization_id: `org-${n % 3}`,
        created_at: now - (n % 13) * 10 * day - (n % 7) * 60,
      }),
    )
    await insertEvents(
      db,
      events.map((event) => JSON.stringify(event)),
    )
    const requests = async (width: number) => {
      const rows = await db.queries.selectFrom('usage_buckets').select('requests').where('width', '=', width).execute()
      return rows.reduce((sum, row) => sum + Number(row.requests), 0)
    }
    expect(await requests(60)).toBe(1_300)
    await pruneUsage({ db, clock }, { usageEventDays: 30, usageMinuteDays: 60 })
    const kept = await db.queries.selectFrom('usage_events').select('created_at').execute()
    expect(kept.length).toBe(events.filter((event) => event.created_at >= now - 30 * day).length)
    expect(Math.min(...kept.map(({ created_at }) => created_at))).toBeGreaterThanOrEqual(now - 30 * day)
    const minutes = await db.queries.selectFrom('usage_buckets').select('start').where('width', '=', 60).execute()
    expect(Math.min(...minutes.map(({ start }) => start))).toBeGreaterThanOrEqual(now - 60 * day)
    expect(await requests(60)).toBeGreaterThanOrEqual(kept.length)
    expect([await requests(3_600), await requests(86_400)]).toEqual([1_300, 1_300])
    await pruneUsage({ db, clock }, { usageEventDays: 30, usageMinuteDays: 60 })
    expect((await db.queries.selectFrom('usage_events').select('id').execute()).length).toBe(kept.length)
  })
})
