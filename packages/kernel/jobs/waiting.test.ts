// What waits costs nothing: no claim goes through a queue that is blocked, and none writes where nothing can be claimed.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { Database, Tx } from '../db/database.ts'
import { claimJobs } from './claim.ts'
import type { ClaimOrder } from './claim-order.ts'
import { Dispatcher } from './dispatcher.ts'
import type { RegisteredKind } from './kind.ts'
import { describeClusters } from './testing/cluster.ts'
import { Counter, testKind } from './testing/kind.ts'
import { add, addAll, rows, until } from './testing/steps.ts'

const waiting = 20_000
const lookEveryMs = 10

/** How often the database was asked for something. */
const counted = (asked: Counter) => (db: Database) => ({
  ...db,
  get queries() {
    asked.add()
    return db.queries
  },
})

const order: ClaimOrder = {
  ...{ kind: 'test', limit: 4, leaseUntil: 1, token: 't', nodeId: 'n', lastTenant: '' },
  ...{ running: new Map(), tenantConcurrency: 4, held: [] },
}

/** Rows of jobs that were read by this transaction. */
async function rowsRead(tx: Tx): Promise<number> {
  const counters = sql<{ read: number }>`
    select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = 'jobs'`
  return (await counters.execute(tx)).rows[0]?.read ?? 0
}

describeClusters('a lane whose first job waits for its time', (createCluster) => {
  it(`holds ${waiting} jobs that no look goes through, and nothing is written meanwhile`, {
    timeout: 60_000,
  }, async () => {
    const cluster = await createCluster()
    const [asked, failed, runs] = [new Counter(), new Counter(), new Counter()]
    const node = await cluster.addNode(counted(asked))
    const kind = testKind(
      async ({ payload }) => {
        if (payload.n === 0) failed.add()
        else runs.add()
        if (payload.n === 0) throw new Error('down')
      },
      { maxAttempts: 100, backoffSeconds: () => 3600 },
    )
    await addAll(node, kind, waiting, () => ({ lane: 'down', tenant: 'mail' }))
    const dispatcher = new Dispatcher(node, lookEveryMs)
    dispatcher.register(kind as unknown as RegisteredKind)
    await dispatcher.start()
    await failed.reaches(1)
    await until(async () => (await rows(node))[0]?.last_error === 'down')

    if (node.db.kind === 'sqlite') {
      const version = async () => (await sql`pragma data_version`.execute(node.db.queries)).rows
      const before = await version()
      await asked.reaches(asked.count + 50)
      expect(await version()).toEqual(before)
    } else {
      const read = await node.db.transaction(async (tx) => {
        const before = await rowsRead(tx)
        await claimJobs({ ...node.db, queries: tx }, order)
        return (await rowsRead(tx)) - before
      })
      expect(read).toBeLessThan(10)
    }
    // Others are served at once.
    await add(node, kind, waiting + 1, { lane: 'up', tenant: 'mail' })
    await runs.reaches(1)
    await dispatcher.stop(1000)
    expect([failed.count, runs.count]).toEqual([1, 1])
  })
})
