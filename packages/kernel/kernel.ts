// Everything a service is built from, in one hand.
import type { BlobStore } from './blobs/blobs.ts'
import type { Clock } from './clock/clock.ts'
import type { Database } from './db/database.ts'
import type { Events } from './events/events.ts'
import type { Ids } from './ids/ids.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { Limits } from './limits/limits.ts'
import type { Log } from './telemetry/log.ts'

export interface Kernel {
  clock: Clock
  ids: Ids
  log: Log
  db: Database
  events: Events
  jobs: Jobs
  blobs: BlobStore
  limits: Limits
}
