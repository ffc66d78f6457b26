// An outbox with channels of its own, on a database of its own.
import { systemClock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { createIds } from '@atoll/kernel/ids/ids'
import { silentLog } from '@atoll/testkit/silent-log'
import type { z } from 'zod'
import type { OutgoingMessage } from '../../ports.ts'
import { ChannelsConfig } from '../config.ts'
import { createOutbox } from '../outbox.ts'
import { type SendingSettings, usualSending } from '../sender.ts'

export const localOnly = { allowPrivateAddresses: ['127.0.0.1'] }
export const hasty: SendingSettings = { ...usualSending, pausesMs: [20, 40, 80, 160], lookEveryMs: 100 }

export function outboxOn(db: Database, config: z.input<typeof ChannelsConfig>, settings = hasty) {
  const parts = { db, clock: systemClock, ids: createIds(systemClock), log: silentLog }
  const outbox = createOutbox(parts, ChannelsConfig.parse({ ...localOnly, ...config }), settings)
  let count = 0
  return Object.assign(outbox, {
    retryNow: (id: string) => db.transaction((tx) => outbox.retry(tx, id)),
    send: (message: Partial<OutgoingMessage> & Pick<OutgoingMessage, 'channel' | 'to' | 'text'>): Promise<string> =>
      db.transaction((tx) => outbox.add(tx, { origin: 'test', dedupe: `dedupe-${++count}`, ...message })),
  })
}
