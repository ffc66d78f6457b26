// The durable outbox: what is added in a transaction is sent once it is committed, whatever happens to this process.

import type { Tx } from '@atoll/kernel/db/database'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { Kernel } from '@atoll/kernel/kernel'
import type { ChannelKind } from '../actions.ts'
import type { Outbox, OutgoingMessage, Target } from '../ports.ts'
import type { ChannelsConfig } from './config.ts'
import { createChannels } from './create-channels.ts'
import { laneOf, Sender, type SendingSettings, usualSending } from './message-job.ts'
import {
  changeMessage,
  countMessages,
  deleteEndedBefore,
  findByDedupe,
  findMessage,
  findRoute,
  insertMessage,
  listMessages,
  type OutboxQuery,
  type OutboxRow,
  saveRoute,
} from './store.ts'

type OutboxParts = Pick<Kernel, 'db' | 'clock' | 'ids' | 'jobs'>
export type WorkingOutbox = ReturnType<typeof createOutbox>

const maxTextCharacters = 1_000_000

/** Before the jobs start: it registers a kind of them. */
export function createOutbox(
  { db, clock, ids, jobs }: OutboxParts,
  config: ChannelsConfig,
  settings: SendingSettings = usualSending,
) {
  const channels = createChannels(config)
  const sender = new Sender({ db, clock, channels, settings })
  const { kind } = sender
  jobs.register(kind)
  const enqueue = (tx: Tx, row: Pick<OutboxRow, 'id' | 'channel' | 'recipient'>) =>
    jobs.enqueue(tx, kind, { messageId: row.id }, { tenant: row.channel, lane: laneOf(row) })
  return {
    isConfigured: (kind: ChannelKind) => channels.has(kind),

    /** What is wrong with a recipient; undefined: nothing, or the channel is not known here. */
    problemOf: ({ channel, to }: Target): string | undefined => channels.get(channel)?.problemOf(to),

    async target({ channel, to }: { channel: 'last' | ChannelKind; to?: string }): Promise<Target | undefined> {
      const usual = (await findRoute(db.queries)) ?? config.default
      if (channel === 'last') return usual && (to === undefined ? usual : { ...usual, to })
      if (to !== undefined) return { channel, to }
      return [usual, config.default].find((known) => known?.channel === channel)
    },

    async add(tx: Tx, { channel, to, text, origin, dedupe }: OutgoingMessage): Promise<string> {
      const { id, position } = newObject({ clock, ids }, 'out_')
      const now = clock.now()
      const row: OutboxRow = {
        ...{ id, position, channel, recipient: to, text: text.slice(0, maxTextCharacters), origin, dedupe },
        ...{ state: 'pending', parts_sent: 0, attempts: 0, due_at: now, last_error: null },
        ...{ created_at: now, ended_at: null },
      }
      if (!(await insertMessage(tx, row))) return (await findByDedupe(tx, dedupe)).id
      await enqueue(tx, row)
      return id
    },

    remember: (tx: Tx, target: Target): Promise<void> => saveRoute(tx, target, clock.now()),

    route: (): Promise<Target | undefined> => findRoute(db.queries),

    get: (id: string): Promise<OutboxRow | undefined> => findMessage(db.queries, id),

    list: (query: OutboxQuery): Promise<OutboxRow[]> => listMessages(db.queries, query),

    counts: () => countMessages(db.queries),

    /** A dead one gets all its attempts again. False: there is no dead one with this id. */
    async retry(tx: Tx, id: string): Promise<boolean> {
      const row = await findMessage(tx, id)
      if (row?.state !== 'dead') return false
      const due_at = clock.now()
      await changeMessage(tx, id, { state: 'pending', attempts: 0, due_at, ended_at: null, last_error: null })
      await enqueue(tx, row)
      return true
    },

    removeEndedBefore: (time: number) => deleteEndedBefore(db.queries, time),

    async start(): Promise<void> {
      sender.isStarted = true
      await db.transaction((tx) => jobs.wake(tx, kind))
    },

    async stop(graceMs: number): Promise<void> {
      await jobs.drain(kind, graceMs)
      await Promise.all([...channels.values()].map((channel) => channel.close()))
    },
  } satisfies Outbox & Record<string, unknown>
}
