// A node for the crash test to kill: it enqueues and runs jobs, and prints the id of each job once it is committed.
import '@atoll/testkit/keep-compiled'
import { writeSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { silentLog } from '@atoll/testkit/silent-log'
import { systemClock } from '../../clock/clock.ts'
import { type DatabaseTarget, openDatabase } from '../../db/open.ts'
import { createInProcessEvents } from '../../events/in-process.ts'
import { createPostgresEvents } from '../../events/postgres-notify.ts'
import { createIds } from '../../ids/ids.ts'
import type { RunningJob } from '../jobs.ts'
import { createJobs } from '../queue.ts'
import { type TestPayload, testKind } from './kind.ts'

const target = JSON.parse(process.env.ATOLL_TEST_TARGET ?? '') as DatabaseTarget
const enqueues = process.argv[2] === 'enqueue'

const db = await openDatabase(target, { log: silentLog })
const events =
  target.kind === 'postgres' ? await createPostgresEvents(target.url, silentLog) : createInProcessEvents(db, silentLog)
const node = { db, events, clock: systemClock, ids: createIds(systemClock), log: silentLog, nodeId: `${process.pid}` }
const jobs = createJobs(node)

/** Its effect and its end are one commit: exactly once. */
const once = testKind((job) => write(job, 'once'), { name: 'once', maxAttempts: 1000, leaseSeconds: 1 })
/** Its effect comes first and its end later: once or more. */
const repeatable = testKind((job) => write(job, 'repeatable'), {
  name: 'repeatable',
  maxAttempts: 1000,
  leaseSeconds: 1,
})

function write(job: RunningJob<TestPayload>, kind: 'once' | 'repeatable'): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.insertInto('effects').values({ job: job.id, note: kind }).execute()
    if (kind === 'once') await job.finish(tx)
  })
}

async function enqueueForever(): Promise<never> {
  for (let n = 0; ; n++) {
    const ids = await db.transaction(async (tx) => [
      await jobs.enqueue(tx, once, { n }),
      await jobs.enqueue(tx, repeatable, { n }),
    ])
    writeSync(1, `${ids.join(' ')}\n`)
  }
}

async function drain(): Promise<void> {
  for (let left = 1; left > 0; await turn()) {
    const counts = await jobs.counts()
    left = counts.waiting + counts.running
  }
  await jobs.stop(1000)
  await events.close()
  await db.close()
}

jobs.register(once)
jobs.register(repeatable)
await jobs.start()
await (enqueues ? enqueueForever() : drain())
