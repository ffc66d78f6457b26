// Every change of identity goes through here: one transaction with its entry in the audit log, told to every node,
// in effect on this one at once.
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'
import type { AuditLog } from '../audit/audit-log.ts'
import type { Change } from '../audit/change.ts'
import type { Actor } from './actor.ts'

export const identityChanged = 'identity.changed'

/** Puts one change on record, in the transaction that makes it. */
export type RecordChange = (organizationId: string, change: Change) => Promise<void>

export interface Changes {
  run<T>(work: (tx: Tx, record: RecordChange) => Promise<T>): Promise<T>
}

interface Parts {
  db: Database
  events: Events
  audit: Pick<AuditLog, 'record'>
  /** Forgets what this node remembers of callers. */
  invalidate(): void
  turns: Turns
}

/** Changes of one node, one after the other where they would only make each other try again. */
export class Turns {
  readonly #areTaken: boolean
  #last: Promise<unknown> = Promise.resolve()

  /** SQLite has turns of its own, and commits many of them at once. */
  constructor(db: Pick<Database, 'kind'>) {
    this.#areTaken = db.kind === 'postgres'
  }

  take<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#areTaken) return work()
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => undefined)
    return mine
  }
}

/** The changes that `by` makes. */
export function createChanges({ db, events, audit, invalidate, turns }: Parts, by: Actor): Changes {
  const change = <T>(work: (tx: Tx, record: RecordChange) => Promise<T>): Promise<T> =>
    db.transaction(async (tx) => {
      const result = await work(tx, (organizationId, made) => audit.record(tx, by, organizationId, made))
      await events.publish(tx, identityChanged, null)
      return result
    })
  return {
    async run(work) {
      try {
        return await turns.take(() => change(work))
      } finally {
        // Before the promise resolves, so that no acknowledged deletion is followed by a stale success here;
        // after a failure too, for a commit whose answer was lost may have happened.
        invalidate()
      }
    },
  }
}
