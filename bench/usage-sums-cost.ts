// What the sums cost beside the table of events, on SQLite: CPU of all threads, by event.
import { migrate } from '@atoll/kernel/db/migrate'
import { openDatabase } from '@atoll/kernel/db/open'
import { rollUp } from '@atoll/platform/inference/usage/roll-up'
import { insertEvents } from '@atoll/platform/inference/usage/store'
import { platformMigrations } from '@atoll/platform/migrations/migrations'
import { silentLog } from '@atoll/testkit/silent-log'
import { sql } from 'kysely'
import { median, spreadPercent } from './measure.ts'
import { callAt } from './usage-month.ts'

const runs = 3
const events = 200_000
/** As many as the recorder gives the database at once when much is going on, and when little is. */
const batches = [1_000, 50]
const goalMicroseconds = 20

export async function showSumsCost(folder: string): Promise<void> {
  const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
  await migrate(db, platformMigrations)
  const month = { events: 10_000_000, start: 1_700_006_400 }
  try {
    for (let at = 0; at < events; at += 1_000) {
      const lines = Array.from({ length: 1_000 }, (_, n) => JSON.stringify(callAt(month, at + n, 'org_bench')))
      await insertEvents(db, lines)
    }
    for (const batch of batches) {
      const costs: number[] = []
      for (let run = 0; run < runs; run++) {
        await db.queries.deleteFrom('usage_buckets').execute()
        const cpu = process.cpuUsage()
        for (let at = 0; at < events; at += batch) {
          await rollUp(sql`usage_events where rowid > ${at} and rowid <= ${at + batch}`).execute(db.queries)
        }
        const { user, system } = process.cpuUsage(cpu)
        costs.push((user + system) / events)
      }
      console.log(
        `  sums of ${batch} events at a time: ${median(costs).toFixed(1)} CPU µs each ± ${spreadPercent(costs)} % (goal ${goalMicroseconds})`,
      )
    }
  } finally {
    await db.close()
  }
}
