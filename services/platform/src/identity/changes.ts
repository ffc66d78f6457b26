// Every change of identity goes through here: one transaction, told to every node, in effect on this one at once.
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'

export const identityChanged = 'identity.changed'

export interface Changes {
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

/** `invalidate` forgets what this node remembers of callers. */
export function createChanges(db: Database, events: Events, invalidate: () => void): Changes {
  return {
    async run(work) {
      try {
        return await db.transaction(async (tx) => {
          const result = await work(tx)
          await events.publish(tx, identityChanged, null)
          return result
        })
      } finally {
        // Before the promise resolves, so that no acknowledged deletion is followed by a stale success here;
        // after a failure too, for a commit whose answer was lost may have happened.
        invalidate()
      }
    },
  }
}
