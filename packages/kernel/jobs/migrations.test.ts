import { describeBothTargets } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import type { Kysely } from 'kysely'
import { expect, it } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { createInProcessEvents } from '../events/in-process.ts'
import { createIds } from '../ids/ids.ts'
import { jobMigrations } from './migrations.ts'
import { createJobs } from './queue.ts'
import { testKind } from './testing/kind.ts'
import { rows, until } from './testing/steps.ts'

/** As the version before lanes and tenants wrote them. */
const oldRows = (now: number) => {
  const row = { kind: 'test', unique_key: null, run_at: now, attempts: 0, last_error: null, created_at: now }
  const free = { lease_token: null, leased_by: null }
  return [
    { ...row, ...free, id: 'job_1', payload: '{"n":1}', state: 'waiting', due_at: now },
    { ...row, ...free, id: 'job_2', payload: '{"n":2}', state: 'waiting', due_at: now + 3_600_000, unique_key: 'k' },
    { ...row, id: 'job_3', payload: '{"n":3}', state: 'running', due_at: now - 1, lease_token: 't', leased_by: 'gone' },
    { ...row, ...free, id: 'job_4', payload: '{"n":4}', state: 'dead', due_at: null, last_error: 'no' },
  ]
}

describeBothTargets('jobs that an older version left', (newTarget) => {
  it('run, wait and stay dead as before', async () => {
    const db = await openDatabase(await newTarget(), { log: silentLog })
    await migrate(db, jobMigrations.slice(0, 1))
    const old = db.queries as unknown as Kysely<{ jobs: ReturnType<typeof oldRows>[number] }>
    await old.insertInto('jobs').values(oldRows(Date.now())).execute()

    await migrate(db, jobMigrations)
    const events = createInProcessEvents(db, silentLog)
    const clock = systemClock
    const jobs = createJobs({ db, events, clock, ids: createIds(clock), log: silentLog, nodeId: 'new' })
    const seen: number[] = []
    jobs.register(testKind(async ({ payload }) => void seen.push(payload.n)))
    await jobs.start()
    await until(async () => (await rows({ db })).length === 2)
    await jobs.stop(1000)
    expect(seen.sort()).toEqual([1, 3])
    expect(await rows({ db })).toMatchObject([
      { id: 'job_2', state: 'waiting', unique_key: 'k', attempts: 0 },
      { id: 'job_4', state: 'dead', last_error: 'no' },
    ])
    await events.close()
    await db.close()
  })
})
