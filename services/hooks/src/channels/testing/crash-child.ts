// Sends what lies in an outbox until it is killed, or nothing is left.
import '@atoll/testkit/keep-compiled'
import { openDatabase } from '@atoll/kernel/db/open'
import { silentLog } from '@atoll/testkit/silent-log'
import { usualSending } from '../message-job.ts'
import { outboxOn } from './channel-kit.ts'

const { ATOLL_TEST_TARGET: target = '', ATOLL_TEST_URL: url = '' } = process.env
const db = await openDatabase(JSON.parse(target), { log: silentLog })
const channels = { discord: { url, token: 't' }, telegram: { url, token: '1:t' } }
const outbox = outboxOn(db, channels, { ...usualSending, leaseMs: 300 })
await outbox.start()
process.stdout.write('started\n')
for (;;) {
  const { pending, sending } = await outbox.counts()
  if (pending + sending === 0) break
  await new Promise((resolve) => setTimeout(resolve, 20))
}
await outbox.stop(1_000)
await db.close()
