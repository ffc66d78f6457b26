// An outbox with channels of its own, on a database of its own.
import { systemClock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { createInProcessEvents } from '@atoll/kernel/events/in-process'
import { createIds } from '@atoll/kernel/ids/ids'
import { jobMigrations } from '@atoll/kernel/jobs/migrations'
import { createJobs } from '@atoll/kernel/jobs/queue'
import { endAllLeases } from '@atoll/kernel/jobs/store'
import { silentLog } from '@atoll/testkit/silent-log'
import type { z } from 'zod'
import type { OutgoingMessage } from '../../ports.ts'
import { ChannelsConfig } from '../config.ts'
import { type SendingSettings, usualSending } from '../message-job.ts'
import { outboxJobsMigration, outboxMigration } from '../migration.ts'
import { createOutbox } from '../outbox.ts'

export const localOnly = { allowPrivateAddresses: ['127.0.0.1'] }
export const hasty: SendingSettings = { ...usualSending, pausesMs: [20, 40, 80, 160] }
/** Before messages were jobs. */
export const outboxBefore = [...jobMigrations, outboxMigration]
export const outboxMigrations = [...outboxBefore, outboxJobsMigration]

export function outboxOn(db: Database, config: z.input<typeof ChannelsConfig>, settings = hasty) {
  const clock = systemClock
  const ids = createIds(clock)
  const node = { db, clock, ids, log: silentLog, events: createInProcessEvents(db, silentLog), nodeId: 'test' }
  const jobs = createJobs(node)
  const outbox = createOutbox({ db, clock, ids, jobs }, ChannelsConfig.parse({ ...localOnly, ...config }), settings)
  let count = 0
  const { start, stop } = outbox
  return Object.assign(outbox, {
    async start() {
      // As a kernel does: the data folder is locked, so whoever held leases is gone.
      if (db.kind === 'sqlite') await endAllLeases(db.queries, clock.now())
      await jobs.start()
      await start()
    },
    async stop(graceMs: number) {
      await stop(graceMs)
      await jobs.stop(graceMs)
    },
    retryNow: (id: string) => db.transaction((tx) => outbox.retry(tx, id)),
    send: (message: Partial<OutgoingMessage> & Pick<OutgoingMessage, 'channel' | 'to' | 'text'>): Promise<string> =>
      db.transaction((tx) => outbox.add(tx, { origin: 'test', dedupe: `dedupe-${++count}`, ...message })),
  })
}
