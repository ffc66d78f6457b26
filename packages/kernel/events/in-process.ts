// Events of one process: enough wherever a single node holds the database.
import type { Database } from '../db/database.ts'
import type { Log } from '../telemetry/log.ts'
import type { Events } from './events.ts'
import { encodePayload, Listeners } from './listeners.ts'

export function createInProcessEvents(db: Database, log: Log): Events {
  const listeners = new Listeners(log)
  return {
    async publish(tx, topic, payload) {
      const text = encodePayload(topic, payload)
      // Never within the publisher's own call: a listener must not delay or fail it.
      db.afterCommit(tx, () => void setImmediate(() => listeners.deliver(topic, text)))
    },
    subscribe: (topic, listener) => listeners.subscribe(topic, listener),
    // Nothing is lost on the way inside one process, so there is never a gap.
    onGap: (listener) => listeners.onGap(listener),
    async close() {
      listeners.clear()
    },
  }
}
