import type { Database } from '@atoll/kernel/db/database'
import { migrate } from '@atoll/kernel/db/migrate'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { usageEventsMigration } from '../../migrations/0005-usage-events.ts'
import { usageAndLimitsMigration } from '../../migrations/0015-usage-and-limits.ts'
import type { UsageEvent } from './event.ts'
import { insertEvents } from './store.ts'
import { bucketSums, eventSums } from './testing/bucket-sums.ts'
import { usageEvent } from './testing/usage-event.ts'

const migrations = [usageEventsMigration, usageAndLimitsMigration]
const midnight = 1_700_006_400

const insert = (db: Database, events: readonly UsageEvent[]) =>
  insertEvents(
    db,
    events.map((event) => JSON.stringify(event)),
  )

/** Some of few ids, so that many come twice; near the ends of hours and days. */
const event = fc.record({ n: fc.nat(60), at: fc.integer({ min: -90, max: 3_700 }) }).map(
  ({ n, at }): UsageEvent =>
    usageEvent({
      id: `usage_${n}`,
      created_at: midnight + ((at * 7 + n) % 3_700),
      model: `model-${n % 3}`,
      user_id: n % 4 === 0 ? null : `user_${n % 2}`,
      batch: n % 2,
      input_tokens: n * 10,
      output_cost: n,
    }),
)

describeBothDatabases('sums of usage', (open) => {
  it('are those of the events at every width, whatever comes twice', async () => {
    const db = await open(migrations)
    const lists = fc.array(fc.array(event, { maxLength: 40 }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(lists, async (batches) => {
        await db.queries.deleteFrom('usage_events').execute()
        await db.queries.deleteFrom('usage_buckets').execute()
        for (const batch of batches) if (batch.length > 0) await insert(db, batch)
        const events = await eventSums(db.queries)
        expect(await bucketSums(db.queries)).toEqual([events, events, events])
        expect(await minutesByHand(db)).toEqual(await storedMinutes(db))
      }),
      { numRuns: 15 },
    )
  })

  it('count an event once when several write it at the same time', async () => {
    const db = await open(migrations)
    const events = Array.from({ length: 200 }, (_, n) =>
      usageEvent({ id: `usage_${n}`, created_at: midnight + n, model: `model-${n % 5}` }),
    )
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let at = 0; at < 200; at += 25) await insert(db, events.slice(at, at + 25 + writer))
    })
    await Promise.all(writers)
    const sums = { requests: 200, input_tokens: 2_000, cached_input_tokens: 800, output_tokens: 1_000, output_cost: 0 }
    expect(await bucketSums(db.queries)).toEqual([sums, sums, sums])
  })

  it('take in events of before there were sums, and lines of an earlier version', async () => {
    const db = await open([usageEventsMigration])
    const old = (id: string, fields: Partial<UsageEvent> = {}) => {
      const { images, size, source, characters, audio_ms, ...rest } = usageEvent({ id, ...fields })
      const { input_cost, cached_input_cost, output_cost, ...known } = rest
      return known
    }
    const rows = [old('a'), old('b', { user_id: null, batch: 1 }), old('c', { created_at: midnight })]
    await db.queries
      .insertInto('usage_events')
      .values(rows as UsageEvent[])
      .execute()
    await migrate(db, migrations)
    const three = { requests: 3, input_tokens: 30, cached_input_tokens: 12, output_tokens: 15, output_cost: 0 }
    expect(await bucketSums(db.queries)).toEqual([three, three, three])
    expect(await storedMinutes(db)).toEqual(await minutesByHand(db))
    await insertEvents(db, [JSON.stringify(old('d')), JSON.stringify(old('a'))])
    const events = await eventSums(db.queries)
    expect(events.requests).toBe(4)
    expect(await bucketSums(db.queries)).toEqual([events, events, events])
    expect(await storedMinutes(db)).toEqual(await minutesByHand(db))
  })
})

const key = ({ start, model, user, batch }: { start: number; model: string; user: string | null; batch: number }) =>
  JSON.stringify([Number(start), model, user ?? '', Number(batch)])

/** Requests of each minute and group, from the events. */
async function minutesByHand({ queries }: Database): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const { created_at, model, user_id, batch } of await queries.selectFrom('usage_events').selectAll().execute()) {
    const group = key({ start: created_at - (created_at % 60), model, user: user_id, batch })
    sums[group] = (sums[group] ?? 0) + 1
  }
  return sums
}

async function storedMinutes({ queries }: Database): Promise<Record<string, number>> {
  const rows = await queries.selectFrom('usage_buckets').selectAll().where('width', '=', 60).execute()
  return Object.fromEntries(
    rows.map(({ start, model, user_id: user, batch, requests }) => [key({ start, model, user, batch }), requests]),
  )
}
