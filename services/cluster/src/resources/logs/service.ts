// What happened in the cluster, for its operators.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Jobs } from '@atoll/kernel/jobs/jobs'
import type { EventObject, Severity } from './schema.ts'
import { deleteEventsBefore, type EventQuery, type EventRow, insertEvent, selectEvents } from './store.ts'

export interface ClusterEvent {
  severity: Severity
  /** `module_uploaded` */
  type: string
  /** Who brought it about: the email of a user, or a part of the cluster. */
  originator: string
  /** `bdb:1` */
  object?: string
  message: string
}

const keptMs = 90 * 24 * 3600 * 1000
const pruneEverySeconds = 3600

export class EventLog {
  readonly #parts: { db: Database; clock: Clock; ids: Ids }

  constructor(parts: { db: Database; clock: Clock; ids: Ids }) {
    this.#parts = parts
  }

  /** Before the jobs start. */
  pruneBy(jobs: Jobs): void {
    jobs.registerPeriodic('cluster-prune-events', pruneEverySeconds, async () => {
      await deleteEventsBefore(this.#parts.db.queries, this.#parts.clock.now() - keptMs)
    })
  }

  async add(tx: Tx | undefined, { severity, type, originator, object, message }: ClusterEvent): Promise<void> {
    const { db, clock, ids } = this.#parts
    const row = { id: ids.next('evt_'), at: clock.now(), severity, type, originator, object: object ?? null, message }
    await insertEvent(tx ?? db.queries, row)
  }

  async list(query: EventQuery): Promise<EventObject[]> {
    return (await selectEvents(this.#parts.db.queries, query)).map(eventObject)
  }
}

const eventObject = ({ at, type, severity, originator, object, message }: EventRow): EventObject => ({
  time: new Date(at).toISOString(),
  type,
  severity,
  originator,
  ...(object === null ? {} : { object_name: object }),
  message,
})
