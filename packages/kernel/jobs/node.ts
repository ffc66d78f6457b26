// What one node of the cluster works with.
import type { Clock } from '../clock/clock.ts'
import type { Database } from '../db/database.ts'
import type { Events } from '../events/events.ts'
import type { Ids } from '../ids/ids.ts'
import type { Log } from '../telemetry/log.ts'

export interface Node {
  db: Database
  events: Events
  clock: Clock
  ids: Ids
  log: Log
  /** Stands in the rows of jobs that run here. */
  nodeId: string
}
