// One recipient that is down, with a long line of messages behind it: nobody else may notice.
import { setTimeout as pause } from 'node:timers/promises'
import { migrate } from '@atoll/kernel/db/migrate'
import type { Migration } from '@atoll/kernel/db/migration'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { hasty, outboxBefore, outboxMigrations, outboxOn } from './testing/channel-kit.ts'
import { startStandIn } from './testing/web-stand-in.ts'

const waiting = 60_000
const hourMs = 3_600_000

const unrelated: Migration = {
  name: 'test/0001-unrelated',
  up: (db) => db.schema.createTable('unrelated').addColumn('n', 'bigint').execute(),
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    unrelated: { n: number }
  }
}

/** As the version before wrote them: all at once, and the migration makes jobs of them. */
const oldMessages = (count: number) => sql`
  insert into hooks_outbox (id, position, channel, recipient, text, origin, dedupe, state, parts_sent, attempts, due_at,
    lease, last_error, created_at, ended_at)
  with recursive line (n) as (select 1 union all select n + 1 from line where n < ${sql.lit(count)})
  select 'out_' || (100000 + n), n, 'discord', '1', 'message ' || n, 'test', 'dedupe ' || n, 'pending', 0, 0, 1,
    null, null, 1, null from line`

describeBothDatabases('a recipient that is down', (open) => {
  it(`with ${waiting} messages behind it slows no other write, and others get theirs`, {
    timeout: 120_000,
  }, async () => {
    const db = await open([...outboxBefore, unrelated])
    await oldMessages(waiting).execute(db.queries)
    const write = async (n: number): Promise<number> => {
      const began = performance.now()
      await db.queries.insertInto('unrelated').values({ n }).execute()
      return performance.now() - began
    }
    // Begun at their own times: those who wait for one that is slow would be counted as fast.
    const median = async () => {
      const times: Promise<number>[] = []
      for (let n = 0; n < 100; n++) {
        times.push(write(n))
        await pause(10)
      }
      return (await Promise.all(times)).toSorted((one, other) => one - other)[50]!
    }
    await migrate(db, [...outboxMigrations, unrelated])
    const idle = await median()
    const chat = await startStandIn()
    chat.misdeeds.push({ status: 503 })
    const outbox = outboxOn(db, { discord: { url: chat.url, token: 't' } }, { ...hasty, pausesMs: [hourMs, hourMs] })
    await outbox.start()
    await expect.poll(async () => (await outbox.get('out_100001'))?.attempts, { timeout: 30_000 }).toBe(1)
    await expect.poll(async () => (await outbox.get('out_100001'))?.state, { timeout: 30_000 }).toBe('pending')

    expect(await median()).toBeLessThan(4 * idle + 25)
    const others = await outbox.send({ channel: 'discord', to: '2', text: 'up' })
    await expect.poll(async () => (await outbox.get(others))?.state, { timeout: 30_000 }).toBe('sent')
    expect(chat.heard.filter(({ path }) => path.includes('/1/'))).toHaveLength(1)
    expect((await outbox.counts()).pending).toBe(waiting)
    await outbox.stop(1_000)
    await chat.close()
  })
})
