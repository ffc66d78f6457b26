import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { migrate } from '@atoll/kernel/db/migrate'
import { type DatabaseTarget, openDatabase } from '@atoll/kernel/db/open'
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import { expect, it } from 'vitest'
import type { OutboxRow } from './store.ts'
import { outboxMigrations, outboxOn } from './testing/channel-kit.ts'
import { type Heard, type StandIn, startStandIn } from './testing/web-stand-in.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
const kills = isLong ? 60 : 3
const messages = isLong ? 1_000 : 100
const recipients = 10
const program = new URL('./testing/crash-child.ts', import.meta.url).pathname

function start(target: DatabaseTarget, { url }: StandIn) {
  const env = { ...process.env, ATOLL_TEST_TARGET: JSON.stringify(target), ATOLL_TEST_URL: url }
  return spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
}

async function fill(target: DatabaseTarget): Promise<void> {
  const db = await openDatabase(target, { log: silentLog })
  await migrate(db, outboxMigrations)
  // It is not started: the messages are for those who are killed.
  const outbox = outboxOn(db, {})
  for (let n = 0; n < messages; n++) {
    const channel = n % 2 === 0 ? 'discord' : 'telegram'
    await outbox.send({ channel, to: String(n % recipients), text: `message ${n}` })
  }
  await outbox.stop(0)
  await db.close()
}

async function rowsOf(target: DatabaseTarget): Promise<OutboxRow[]> {
  const db = await openDatabase(target, { log: silentLog })
  const rows = await db.queries.selectFrom('hooks_outbox').selectAll().orderBy('position').execute()
  await db.close()
  return rows
}

const toldOf = ({ path, body }: Heard) => ({
  channel: path.startsWith('/bot') ? 'telegram' : 'discord',
  text: String(body.text ?? body.content),
  nonce: body.nonce,
})

describeBothTargets('an outbox whose node is killed', (newTarget) => {
  it(`sends each message once, or at most once where nobody could tell (${kills} times kill -9)`, {
    timeout: 60_000 + kills * 10_000,
  }, async () => {
    const target = await newTarget()
    const standIn = await startStandIn()
    await fill(target)
    for (let round = 0; round < kills; round++) {
      const child = start(target, standIn)
      const closed = once(child, 'close')
      await Promise.race([once(child.stdout, 'data'), closed])
      setTimeout(() => child.kill('SIGKILL'), randomInt(isLong ? 200 : 120))
      await closed
    }
    const last = start(target, standIn)
    last.stdout.resume()
    expect(await once(last, 'exit')).toEqual([0, null])
    await standIn.close()

    const rows = await rowsOf(target)
    const told = standIn.heard.map(toldOf)
    const times = (text: string) => told.filter((each) => each.text === text).length
    const remembered = rows.filter(({ channel }) => channel === 'discord')
    const forgotten = rows.filter(({ channel }) => channel === 'telegram')
    expect(remembered.filter(({ state }) => state !== 'sent')).toEqual([])
    // Told again after a kill, but under the same number: the other side shows it once.
    const numbers = new Set(told.filter(({ channel }) => channel === 'discord').map(({ nonce }) => nonce))
    expect(numbers.size).toBe(remembered.length)
    expect(forgotten.filter(({ text }) => times(text) > 1)).toEqual([])
    expect(forgotten.filter(({ state, text }) => state === 'sent' && times(text) !== 1)).toEqual([])
    const dead = forgotten.filter(({ state }) => state === 'dead')
    expect(dead.every(({ last_error: reason }) => reason?.includes('may have arrived'))).toBe(true)
    for (let to = 0; to < recipients; to++) {
      const firsts = [...new Set(told.map(({ text }) => Number(text.slice(8))).filter((n) => n % recipients === to))]
      expect(firsts).toEqual(firsts.toSorted((a, b) => a - b))
    }
    console.info(
      `outbox, kill -9: ${kills} kills, ${messages} messages: ${remembered.length} shown once, ` +
        `${forgotten.length - dead.length} sent once, ${dead.length} given up as uncertain, 0 lost, 0 doubled`,
    )
  })
})
