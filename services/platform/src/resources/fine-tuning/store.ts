import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type PageQuery, selectPage } from '@atoll/kernel/db/page'
import type { FineTuningEvent, JobStatus } from './schema.ts'

export interface FineTuningJobRow {
  id: string
  position: number
  project_id: string
  organization_id: string
  model: string
  training_file: string
  validation_file: string | null
  suffix: string | null
  seed: number
  /** As asked for; what was chosen for `auto` once that is known. */
  hyperparameters: string
  status: JobStatus
  error: string | null
  fine_tuned_model: string | null
  result_file: string | null
  trained_tokens: number | null
  /** Steps that events have told of. */
  told_steps: number
  /** Of the job that does it. */
  work_id: string | null
  created_at: number
  finished_at: number | null
  estimated_finish: number | null
  /** What another server knows of it, as JSON, where it was handed on to one. */
  remote: string | null
  /** As JSON, where there are any. */
  integrations: string | null
  /** As JSON, where there is any. */
  metadata: string | null
}

export interface FineTuningEventRow {
  id: string
  position: number
  job_id: string
  created_at: number
  level: FineTuningEvent['level']
  type: FineTuningEvent['type']
  message: string
  data: string | null
}

export interface FineTuningCheckpointRow {
  id: string
  position: number
  job_id: string
  created_at: number
  model: string
  step_number: number
  metrics: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    fine_tuning_jobs: FineTuningJobRow
    fine_tuning_events: FineTuningEventRow
    fine_tuning_checkpoints: FineTuningCheckpointRow
  }
}

export const insertJob = (tx: Tx, row: FineTuningJobRow) => tx.insertInto('fine_tuning_jobs').values(row).execute()

export const findJob = (queries: Queries, id: string) =>
  queries.selectFrom('fine_tuning_jobs').selectAll().where('id', '=', id).executeTakeFirst()

export const listJobs = (queries: Queries, projectId: string, page: PageQuery) =>
  selectPage(queries.selectFrom('fine_tuning_jobs').selectAll().where('project_id', '=', projectId), page)

/** Changes a job that is still in one of these states; the row, or undefined when it is not. */
export const changeJob = (tx: Queries, id: string, from: readonly JobStatus[], change: Partial<FineTuningJobRow>) =>
  tx
    .updateTable('fine_tuning_jobs')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', [...from])
    .returningAll()
    .executeTakeFirst()

export const insertEvents = (tx: Tx, rows: FineTuningEventRow[]) =>
  tx.insertInto('fine_tuning_events').values(rows).execute()

export const listEvents = (queries: Queries, jobId: string, page: PageQuery) =>
  selectPage(queries.selectFrom('fine_tuning_events').selectAll().where('job_id', '=', jobId), page)

export const insertCheckpoints = (tx: Tx, rows: FineTuningCheckpointRow[]) =>
  tx.insertInto('fine_tuning_checkpoints').values(rows).execute()

export const listCheckpoints = (queries: Queries, jobId: string, page: PageQuery) =>
  selectPage(queries.selectFrom('fine_tuning_checkpoints').selectAll().where('job_id', '=', jobId), page)
