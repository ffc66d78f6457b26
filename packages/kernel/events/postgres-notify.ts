// Events between nodes over PostgreSQL's LISTEN and NOTIFY. A notification belongs to its transaction.
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import type { Log } from '../telemetry/log.ts'
import type { Events } from './events.ts'
import { ListenConnection } from './listen-connection.ts'
import { encodePayload, Listeners } from './listeners.ts'

const channel = 'atoll_events'

interface Envelope {
  topic: string
  payload: string
  /** PostgreSQL folds equal notifications of one transaction into one; this keeps them apart. */
  serial: number
}

/** Listens when the promise resolves: what is published from then on arrives. */
export async function createPostgresEvents(url: string, log: Log): Promise<Events> {
  const listeners = new Listeners(log)
  const connection = new ListenConnection(url, channel, log, {
    received: (text) => deliver(listeners, text, log),
    restored: () => listeners.announceGap(),
  })
  await connection.open()
  let serial = 0
  return {
    publish: (tx, topic, payload) => notify(tx, { topic, payload: encodePayload(topic, payload), serial: serial++ }),
    subscribe: (topic, listener) => listeners.subscribe(topic, listener),
    onGap: (listener) => listeners.onGap(listener),
    async close() {
      listeners.clear()
      await connection.close()
    },
  }
}

async function notify(tx: Tx, { topic, payload, serial }: Envelope): Promise<void> {
  // The payload goes as it is behind its head: as JSON within JSON its quotes would be escaped and could double its size.
  const text = `${JSON.stringify({ topic, serial })}\n${payload}`
  await sql`select pg_notify(${channel}, ${text})`.execute(tx)
}

function deliver(listeners: Listeners, text: string, log: Log): void {
  const end = text.indexOf('\n')
  const topic = end < 0 ? undefined : topicOf(text.slice(0, end))
  if (topic === undefined) log.warn({ bytes: text.length }, 'Ignored a notification that is no event.')
  else listeners.deliver(topic, text.slice(end + 1))
}

/** Anyone with access to the database can notify; nothing of it may harm this process. */
function topicOf(head: string): string | undefined {
  try {
    const { topic } = JSON.parse(head) as { topic?: unknown }
    return typeof topic === 'string' ? topic : undefined
  } catch {
    return undefined
  }
}
