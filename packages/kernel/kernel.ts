// Everything a service is built from, in one hand.
import type { BlobStore } from './blobs/blobs.ts'
import type { Segments } from './blobs/segments.ts'
import type { Clock } from './clock/clock.ts'
import type { Database } from './db/database.ts'
import type { Events } from './events/events.ts'
import type { Ids } from './ids/ids.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Limits } from './limits/limits.ts'
import type { NodeGroup } from './nodes/group.ts'
import type { Log } from './telemetry/log.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { Vectors } from './vectors/vectors.ts'

export interface Kernel {
  clock: Clock
  ids: Ids
  log: Log
  metrics: Metrics
  db: Database
  events: Events
  jobs: Jobs
  blobs: BlobStore
  segments: Segments
  vectors: Vectors
  limits: Limits
  /** The nodes on the same database; undefined where that is of one process alone. */
  group: NodeGroup | undefined
  /** Where this node may keep files of its own. */
  folder: string
  /** Resolves to the reason why no requests should be sent here, or to undefined. */
  ready(): Promise<string | undefined>
  /** What is not there now, also where requests are answered without it. */
  lacking(): Promise<string | undefined>
  /** From now on it is not ready, and answers what still comes. */
  drain(): void
  /** Once all services have registered their jobs. Also removes what an earlier crash left in the blob store. */
  start(): Promise<void>
  close(): Promise<void>
}
