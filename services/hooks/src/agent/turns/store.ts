import type { Database, Queries } from '@atoll/kernel/db/database'
import { deleteInSlices } from '@atoll/kernel/db/slices'
import type { Trust } from '../../actions.ts'

export interface TurnRow {
  /** Of the delivery, or of the heartbeat. */
  id: string
  position: number
  kind: 'hook' | 'heartbeat'
  session_id: string
  /** Why a heartbeat came: `interval`, `now`, `asked`, `more`; `hook` for the others. */
  reason: string
  trust: Trust
  /** TurnRequest, as JSON: a turn that goes on after a crash is the same turn. */
  request: string
  thread_id: string | null
  /** Of the run that is under way, or was the last. */
  run_id: string | null
  /** Runs that failed before. */
  runs: number
  deadline_at: number | null
  /** Null: it has not ended. */
  outcome: string | null
  detail: string | null
  reply: string | null
  outbox_id: string | null
  created_at: number
  ended_at: number | null
}

export interface ToolCallRow {
  turn_id: string
  call_id: string
  name: string
  /** Null: the call was begun, and how it ended is not known. */
  output: string | null
  /** JSON of where a message went. */
  target: string | null
  started_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    hooks_turns: TurnRow
    hooks_tool_calls: ToolCallRow
  }
}

export const insertTurn = (queries: Queries, row: TurnRow) => queries.insertInto('hooks_turns').values(row).execute()

export const findTurn = (queries: Queries, id: string) =>
  queries.selectFrom('hooks_turns').selectAll().where('id', '=', id).executeTakeFirst()

export const changeTurn = (queries: Queries, id: string, change: Partial<TurnRow>) =>
  queries.updateTable('hooks_turns').set(change).where('id', '=', id).execute()

export const newestTurns = (queries: Queries, kind: TurnRow['kind'], limit: number) =>
  queries
    .selectFrom('hooks_turns')
    .selectAll()
    .where('kind', '=', kind)
    .orderBy('position', 'desc')
    .limit(limit)
    .execute()

export const findToolCall = (queries: Queries, turnId: string, callId: string) =>
  queries
    .selectFrom('hooks_tool_calls')
    .selectAll()
    .where('turn_id', '=', turnId)
    .where('call_id', '=', callId)
    .executeTakeFirst()

export const toolCallsOf = (queries: Queries, turnId: string) =>
  queries.selectFrom('hooks_tool_calls').selectAll().where('turn_id', '=', turnId).execute()

export const insertToolCall = (queries: Queries, row: ToolCallRow) =>
  queries.insertInto('hooks_tool_calls').values(row).execute()

export const setToolOutput = (queries: Queries, turnId: string, callId: string, output: string) =>
  queries
    .updateTable('hooks_tool_calls')
    .set({ output })
    .where('turn_id', '=', turnId)
    .where('call_id', '=', callId)
    .execute()

export const deleteEndedTurns = (db: Database, before: number): Promise<void> =>
  deleteInSlices((limit) =>
    db.transaction(async (tx) => {
      const old = tx.selectFrom('hooks_turns').select('id').where('ended_at', '<', before).limit(limit)
      const ids = (await old.execute()).map(({ id }) => id)
      if (ids.length === 0) return ids
      await tx.deleteFrom('hooks_tool_calls').where('turn_id', 'in', ids).execute()
      await tx.deleteFrom('hooks_turns').where('id', 'in', ids).execute()
      return ids
    }),
  )
