// Rows of responses, for all who work on them: callers and jobs.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import type { ResponseStatus } from './schema.ts'

export interface ResponseRow {
  id: string
  created_at: number
  project_id: string
  previous_id: string | null
  conversation_id: string | null
  /** In whose name it works in the background, as JSON. */
  caller: string | null
  status: ResponseStatus
  /** ResponseSettings, as JSON. */
  settings: string
  /** Progress, as JSON. */
  progress: string
  /** Of what it was brought and has written, about. */
  letters: number
  completed_at: number | null
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    responses: ResponseRow
  }
}

export const findAny = (queries: Queries, id: string) =>
  queries.selectFrom('responses').selectAll().where('id', '=', id).executeTakeFirst()

export const openStatuses = ['queued', 'in_progress'] as const

/** Changes one that is still at work; the row, or undefined when it has ended or is gone. */
export const changeOpen = (tx: Tx, id: string, change: Partial<ResponseRow>) =>
  tx
    .updateTable('responses')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', openStatuses)
    .returningAll()
    .executeTakeFirst()
