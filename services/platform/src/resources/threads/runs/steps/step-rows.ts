// Rows of steps, for the run that makes them and for those who follow it.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import type { StepStatus } from './schema.ts'

export interface StepRow {
  id: string
  position: number
  created_at: number
  run_id: string
  thread_id: string
  assistant_id: string
  /** Which answer of the model it belongs to, from 1; 0: done before the model was asked. */
  turn: number
  status: StepStatus
  /** StepDetails, as JSON. */
  details: string
  /** StepWork, as JSON: what the model said and reads, and nobody else. */
  work: string
  last_error: string | null
  prompt_tokens: number | null
  completion_tokens: number | null
  cancelled_at: number | null
  completed_at: number | null
  expired_at: number | null
  failed_at: number | null
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    run_steps: StepRow
  }
}

export const insertStep = (tx: Tx, row: StepRow) => tx.insertInto('run_steps').values(row).execute()

/** All of a run, oldest first. */
export const stepsOf = (queries: Queries, runId: string) =>
  queries.selectFrom('run_steps').selectAll().where('run_id', '=', runId).orderBy('position').orderBy('id').execute()

export const openSteps = (queries: Queries, runId: string) =>
  queries
    .selectFrom('run_steps')
    .selectAll()
    .where('run_id', '=', runId)
    .where('status', '=', 'in_progress')
    .orderBy('position')
    .orderBy('id')
    .execute()

export const changeStep = (tx: Tx, id: string, change: Partial<StepRow>) =>
  tx.updateTable('run_steps').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export const deleteStepsOf = (tx: Tx, threadId: string, limit: number) => {
  const some = tx.selectFrom('run_steps').select('id').where('thread_id', '=', threadId).limit(limit)
  return tx.deleteFrom('run_steps').where('id', 'in', some).returning('id').execute()
}
