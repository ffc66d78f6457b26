// A data folder that an older version left: what waited there goes on, in its order.

import { migrate } from '@atoll/kernel/db/migrate'
import { openDatabase } from '@atoll/kernel/db/open'
import { jobMigrations } from '@atoll/kernel/jobs/migrations'
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import { dataDir } from '@atoll/testkit/temp-dir'
import type { Kysely } from 'kysely'
import { expect, it } from 'vitest'
import { startStandIn } from './channels/testing/web-stand-in.ts'
import { hooksMigrations } from './migrations.ts'
import { startHooks } from './testing/hooks-server.ts'

/** Tables and columns that are gone. */
type OldDatabase = Kysely<Record<string, Record<string, unknown>>>

const oldVersion = [...jobMigrations.slice(0, 1), ...hooksMigrations.slice(0, 3)]
const within = { timeout: 20_000 }

function delivery(n: number, change: object): Record<string, unknown> {
  const session = `s${n % 2}`
  const action = { kind: 'agent', message: `m${n}`, name: 'Hook', sessionKey: session, wakeMode: 'next-heartbeat' }
  return {
    ...{ id: `dlv_0000000d${n}`, state: 'queued', path: 'agent', mapping: null, sender: 'default', trust: 'external' },
    ...{ action: JSON.stringify({ ...action, deliver: false, channel: 'last' }), session_key: session, lane: session },
    ...{ headers: '{}', body: null, fingerprint: '', dedupe_key: null, nonce: null, attempts: 0, duplicates: 0 },
    ...{ run_token: null, error: null, outcome: null, received_at: n, started_at: null, ended_at: null },
    replay_of: null,
    ...change,
  }
}

const message = (n: number, change: object): Record<string, unknown> => ({
  ...{ id: `out_0000000m${n}`, position: n, channel: 'discord', recipient: `${n % 2}`, text: `t${n}`, origin: 'dlv_1' },
  ...{ dedupe: `d${n}`, state: 'pending', parts_sent: 0, attempts: 0, due_at: n, lease: null, last_error: null },
  ...{ created_at: Date.now(), ended_at: null },
  ...change,
})

async function fill(db: OldDatabase): Promise<void> {
  const deliveries = [
    delivery(1, { state: 'running', run_token: 't', attempts: 1, started_at: 1 }),
    delivery(2, { attempts: 2, error: 'before' }),
    delivery(3, {}),
    delivery(4, { mapping: 'ci' }),
    delivery(5, {}),
    delivery(6, { state: 'succeeded', lane: null, ended_at: Date.now() }),
  ]
  for (const row of deliveries) await db.insertInto('hooks_deliveries').values(row).execute()
  const lane = { parked_by: null, lease_token: null, arrivals: 1 }
  await db
    .insertInto('hooks_lanes')
    .values({ ...lane, lane: 's0', due_at: 5 })
    .execute()
  await db
    .insertInto('hooks_lanes')
    .values({ ...lane, lane: 's1', due_at: Date.now() + 3_600_000, lease_token: 't' })
    .execute()
  const messages = [
    message(1, { state: 'sending', attempts: 1, lease: 'l', due_at: Date.now() + 3_600_000 }),
    message(2, { attempts: 3, last_error: 'before' }),
    message(3, {}),
    message(4, {}),
    message(5, { state: 'sent', due_at: null, ended_at: Date.now() }),
  ]
  for (const row of messages) await db.insertInto('hooks_outbox').values(row).execute()
}

describeBothTargets('what waited in an older data folder', (newTarget) => {
  it('is delivered and sent after the upgrade, each session and recipient in its order', {
    timeout: 60_000,
  }, async () => {
    const target = await newTarget()
    const folder = target.kind === 'sqlite' ? target.folder : await dataDir()
    const db = await openDatabase(target, { log: silentLog })
    await migrate(db, oldVersion)
    await fill(db.queries as unknown as OldDatabase)
    await db.close()

    const chat = await startStandIn()
    const channels = { discord: { url: chat.url, token: 't' }, allowPrivateAddresses: ['127.0.0.1'] }
    const server = await startHooks(newTarget, { after: { target, folder }, channels })
    await expect.poll(async () => (await server.hooks.desk.counts()).succeeded, within).toBe(6)
    const ran = server.noted.runs.map(({ action, attempt }) => `${action.message}/${attempt}`)
    const inSession = (odd: number) => ran.filter((name) => Number(name[1]) % 2 === odd)
    expect(inSession(1)).toEqual(['m1/2', 'm3/1', 'm5/1'])
    expect(inSession(0)).toEqual(['m2/3', 'm4/1'])
    await expect.poll(() => chat.heard.length, within).toBe(4)
    const told = (to: string) =>
      chat.heard.filter(({ path }) => path.includes(`/${to}/`)).map(({ body }) => body.content)
    expect([told('1'), told('0')]).toEqual([
      ['t1', 't3'],
      ['t2', 't4'],
    ])
    // The receiver has heard the last message a moment before its job ends.
    const { queries } = server.kernel.db
    const left = async () => [
      await queries.selectFrom('jobs').select('kind').where('kind', 'like', 'hook-%').execute(),
      await queries.selectFrom('job_lanes').selectAll().execute(),
    ]
    await expect.poll(left, within).toEqual([[], []])
    await server.close()
    await chat.close()
  })
})
