import { createPostgresDatabase, postgresAvailable } from '@atoll/testkit/postgres'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { createKernel } from '../create-kernel.ts'
import { openDatabase } from '../db/open.ts'
import { GroupClock } from './group-clock.ts'

const hourMs = 3_600_000

it.skipIf(!postgresAvailable.available)('a node whose clock jumps goes by the clock of the database', async () => {
  const url = await createPostgresDatabase()
  const config = { data: await tempDir(), blobs: {}, database: { url } }
  const real = Date.now.bind(Date)
  const jump = vi.spyOn(Date, 'now').mockImplementation(() => real() + hourMs)
  try {
    const kernel = await createKernel({ config, log: silentLog, migrations: [] })
    expect(Math.abs(kernel.clock.now() - real())).toBeLessThan(hourMs / 2)
    jump.mockImplementation(() => real() - hourMs)
    expect(Math.abs(kernel.clock.now() - real())).toBeLessThan(hourMs / 2)
    await kernel.close()
  } finally {
    jump.mockRestore()
  }
})

it.skipIf(!postgresAvailable.available)(
  'a node that starts while its database is slow has its time all the same',
  async () => {
    const url = await createPostgresDatabase()
    const db = await openDatabase({ kind: 'postgres', url, poolSize: 1 }, { log: silentLog })
    try {
      // The one connection is taken: the first answer takes two seconds, and its middle is a second off.
      const slow = sql`select pg_sleep(2)`.execute(db.queries)
      const clock = await GroupClock.set(db.queries)
      await slow
      expect(Math.abs(clock.now() - Date.now())).toBeLessThan(500)
    } finally {
      await db.close()
    }
  },
)
