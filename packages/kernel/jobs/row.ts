// A job as it lies in the database.
export type JobState = 'waiting' | 'running' | 'dead'

export interface JobRow {
  id: string
  kind: string
  /** JSON. */
  payload: string
  /** Unique within the kind; cleared when the job dies. */
  unique_key: string | null
  state: JobState
  /** The time it was made for, in milliseconds since the epoch. */
  run_at: number
  /** From when on it may be claimed: its time while it waits, the end of the lease while it runs, null when it is dead. */
  due_at: number | null
  /** Counted at claim, so that a job that kills its node does not do so forever. */
  attempts: number
  /** New with every claim. Whoever ends the job must show it. */
  lease_token: string | null
  leased_by: string | null
  last_error: string | null
  created_at: number
}

declare module '../db/database.ts' {
  interface Tables {
    jobs: JobRow
  }
}
