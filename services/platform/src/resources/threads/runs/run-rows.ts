// Rows of runs, for all who work on them: callers, the engine, the readers of streams.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import { sql } from 'kysely'
import type { IncompleteReason, RunStatus } from './schema.ts'

export interface RunRow {
  id: string
  position: number
  created_at: number
  project_id: string
  thread_id: string
  assistant_id: string
  /** In whose name it works, as JSON. */
  caller: string
  status: RunStatus
  /** RunSettings, as JSON. */
  settings: string
  metadata: string
  required_action: string | null
  last_error: string | null
  incomplete_reason: IncompleteReason | null
  /** Answers of the model that are complete. */
  turns: number
  prompt_tokens: number
  completion_tokens: number
  expires_at: number
  started_at: number | null
  cancelled_at: number | null
  failed_at: number | null
  completed_at: number | null
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    runs: RunRow
  }
}

export const activeStatuses = ['queued', 'in_progress', 'requires_action', 'cancelling'] as const
const workingStatuses = ['queued', 'in_progress'] as const

export const isActive = ({ status }: Pick<RunRow, 'status'>): boolean =>
  (activeStatuses as readonly RunStatus[]).includes(status)

export const findRun = (queries: Queries, id: string) =>
  queries.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst()

/** Word for word as the index of overdue runs has it: with parameters in their place SQLite would not use it. */
const isUnderWay = sql<boolean>`status in (${sql.join(activeStatuses.map((status) => sql.lit(status)))})`

export const overdueRuns = (queries: Queries, now: number, limit: number) =>
  queries
    .selectFrom('runs')
    .selectAll()
    .where(isUnderWay)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute()

/** Changes a run that is still in one of these states; the row, or undefined when it is not. */
export const changeRun = (queries: Queries, id: string, from: readonly RunStatus[], change: Partial<RunRow>) =>
  queries
    .updateTable('runs')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', from)
    .returningAll()
    .executeTakeFirst()

/** For those who work on it: it has begun, and nobody has ended it meanwhile. Undefined when somebody has. */
export const proceedRun = (tx: Tx, id: string, now: number, change: Partial<RunRow> = {}) =>
  tx
    .updateTable('runs')
    .set((row) => ({
      status: 'in_progress' as const,
      started_at: row.fn.coalesce('started_at', row.val(now)),
      ...change,
    }))
    .where('id', '=', id)
    .where('status', 'in', workingStatuses)
    .returningAll()
    .executeTakeFirst()
