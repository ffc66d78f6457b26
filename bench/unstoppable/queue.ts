// One recipient that is down, with 60,000 jobs behind it: the delay of a write that has nothing to do with them.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { systemClock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { migrate } from '@atoll/kernel/db/migrate'
import { openDatabase } from '@atoll/kernel/db/open'
import { createInProcessEvents } from '@atoll/kernel/events/in-process'
import { createIds } from '@atoll/kernel/ids/ids'
import { jobMigrations } from '@atoll/kernel/jobs/migrations'
import { createJobs } from '@atoll/kernel/jobs/queue'
import { testKind } from '@atoll/kernel/jobs/testing/kind'
import { silentLog } from '@atoll/testkit/silent-log'
import { median } from '../measure.ts'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    bench_unrelated: { n: number }
  }
}

const waiting = 60_000
const atOnce = 500
const writes = 300
const everyMs = 10
/** It fails again and again, so that its lane is looked at as often as a lane ever is. */
const retrySeconds = 0.2

const table = {
  name: 'bench/0001-unrelated',
  up: (db: Parameters<(typeof jobMigrations)[number]['up']>[0]) =>
    db.schema.createTable('bench_unrelated').addColumn('n', 'bigint').execute(),
}

export async function benchQueue(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-queue-'))
  const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
  try {
    await migrate(db, [...jobMigrations, table])
    console.log('\nOne recipient that is down')
    const idle = await delay(db)
    const stop = await fillLane(db)
    const beside = await delay(db)
    await stop()
    console.log(
      `  an unrelated write, median: idle ${idle.toFixed(2)} ms, beside ${waiting} waiting ${beside.toFixed(2)} ms`,
    )
    console.log(`    ratio ${(beside / idle).toFixed(2)} (goal at most 2)`)
  } finally {
    await db.close()
    await rm(folder, { recursive: true })
  }
}

async function fillLane(db: Database): Promise<() => Promise<void>> {
  const clock = systemClock
  const events = createInProcessEvents(db, silentLog)
  const jobs = createJobs({ db, clock, events, ids: createIds(clock), log: silentLog, nodeId: 'bench' })
  const failed = Promise.withResolvers<void>()
  const run = async () => {
    failed.resolve()
    throw new Error('down')
  }
  const kind = testKind(run, { maxAttempts: 10_000, concurrency: 8, backoffSeconds: () => retrySeconds })
  const work = Array.from({ length: atOnce }, () => ({ payload: { n: 1 }, tenant: 'mail', lane: 'down' }))
  for (let added = 0; added < waiting; added += atOnce) {
    await db.transaction((tx) => jobs.enqueueAll(tx, kind, work))
  }
  jobs.register(kind)
  await jobs.start()
  await failed.promise
  return () => jobs.stop(1_000)
}

/** Each begun at its own time: those who wait for one that is slow would be counted as fast. */
async function delay(db: Database): Promise<number> {
  const times: Promise<number>[] = []
  for (let n = 0; n < writes; n++) {
    const began = performance.now()
    const written = db.queries.insertInto('bench_unrelated').values({ n }).execute()
    times.push(written.then(() => performance.now() - began))
    await setTimeout(everyMs)
  }
  return median(await Promise.all(times))
}
