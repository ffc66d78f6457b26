import type { Queries } from '@atoll/kernel/db/database'

/** What is to be done when; the job that does it says who does it. */
export interface HeartbeatRow {
  id: string
  /** When the next periodic one is due; null: there are none. */
  due_at: number | null
  /** Somebody asked for one. */
  wanted_at: number | null
  /** Not before this time, after a failure. */
  retry_at: number | null
  failures: number
  /** The turn that is under way, or was when its node died. */
  turn_id: string | null
  /** What was last delivered, and when. */
  last_text: string | null
  last_text_at: number | null
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    hooks_heartbeat: HeartbeatRow
  }
}

/** Of the main session. */
const onlyId = 'main'

const empty: HeartbeatRow = {
  ...{ id: onlyId, due_at: null, wanted_at: null, retry_at: null, failures: 0, turn_id: null },
  ...{ last_text: null, last_text_at: null },
}

export async function findHeartbeat(queries: Queries): Promise<HeartbeatRow> {
  const row = await queries.selectFrom('hooks_heartbeat').selectAll().where('id', '=', onlyId).executeTakeFirst()
  return row ?? empty
}

/** Resolves to what it is then. */
export const changeHeartbeat = (queries: Queries, change: Partial<HeartbeatRow>): Promise<HeartbeatRow> =>
  queries
    .insertInto('hooks_heartbeat')
    .values({ ...empty, ...change })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ id: onlyId, ...change }))
    .returningAll()
    .executeTakeFirstOrThrow()
