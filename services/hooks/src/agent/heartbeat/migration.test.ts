// A data folder that an older version left: somebody had asked for a heartbeat, and a process that is gone had the lease.
import { migrate } from '@atoll/kernel/db/migrate'
import { openDatabase } from '@atoll/kernel/db/open'
import { jobMigrations } from '@atoll/kernel/jobs/migrations'
import { describeBothTargets, type NewTarget } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import type { Kysely } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { hooksMigrations } from '../../migrations.ts'
import { describeAgent } from '../testing/agent-kit.ts'

/** With columns that are gone. */
type OldDatabase = Kysely<{ hooks_heartbeat: Record<string, unknown> }>

const oldVersion = [...jobMigrations, ...hooksMigrations.filter(({ name }) => name < 'hooks/0007')]
const lastText = 'The disk is full.'
let newTarget: NewTarget

const describeTargets = (title: string, tests: (made: NewTarget) => void): void =>
  describeBothTargets(title, (made) => {
    beforeEach(() => {
      newTarget = made
    })
    tests(made)
  })

async function oldFolder() {
  const target = await newTarget()
  const db = await openDatabase(target, { log: silentLog })
  await migrate(db, oldVersion)
  const now = Date.now()
  const row = { id: 'main', due_at: null, wanted_at: now, retry_at: null, failures: 1, turn_id: null }
  const lease = { lease_token: 'of a process that is gone', lease_until: now + 3_600_000 }
  const last = { last_text: lastText, last_text_at: now }
  const old = db.queries as unknown as OldDatabase
  await old
    .insertInto('hooks_heartbeat')
    .values({ ...row, ...lease, ...last })
    .execute()
  await db.close()
  return target
}

describeAgent(
  'the heartbeat of an older data folder',
  (kit) => {
    it('comes after the upgrade, and remembers what it last said', async () => {
      kit.model.script = () => lastText
      const test = await kit.start(
        { heartbeat: { every: '30m', ackMaxChars: 0 } },
        { after: { target: await oldFolder() } },
      )
      expect(await test.beats(1)).toMatchObject({ reason: 'asked', outcome: 'skipped', detail: 'duplicate' })
      const { heartbeat } = await test.agent.status()
      expect(heartbeat).toMatchObject({ wanted_at: null, failures: 0, turn_id: null, last_text: lastText })
      const jobs = await test.kernel.db.queries
        .selectFrom('jobs')
        .select(['state', 'due_at'])
        .where('kind', '=', 'hook-heartbeat')
        .execute()
      expect(jobs).toEqual([{ state: 'waiting', due_at: heartbeat.due_at }])
    })
  },
  describeTargets,
)
