// A job as it lies in the database.
export type JobState = 'waiting' | 'running' | 'dead'

export interface JobRow {
  id: string
  kind: string
  /** JSON. */
  payload: string
  /** Unique within the kind; cleared when the job dies. */
  unique_key: string | null
  /** Empty for jobs that are nobody's. */
  tenant: string
  /** Cleared when the job dies. */
  lane: string | null
  state: JobState
  /** The time it was made for, in milliseconds since the epoch. */
  run_at: number
  /** Since when it may be claimed; null while it may not. Claims look at nothing else. */
  ready_at: number | null
  /** When that changes by itself: its time while it waits for one, the end of the lease while it runs. */
  due_at: number | null
  /** Somebody asked for it while it ran: it runs once more, at this time. */
  again_at: number | null
  /** Counted at claim, so that a job that kills its node does not do so forever. */
  attempts: number
  /** New with every claim. Whoever ends the job must show it. */
  lease_token: string | null
  leased_by: string | null
  last_error: string | null
  created_at: number
}

/** A lane that has jobs. */
export interface LaneRow {
  kind: string
  lane: string
  /** Written by every arrival, so that no arrival can miss the end of its lane. 1: it was empty before. */
  arrivals: number
}

declare module '../db/database.ts' {
  interface Tables {
    jobs: JobRow
    job_lanes: LaneRow
  }
}
