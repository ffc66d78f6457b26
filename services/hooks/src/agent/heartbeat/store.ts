import type { Queries } from '@atoll/kernel/db/database'

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
  lease_token: string | null
  lease_until: number | null
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
  ...{ lease_token: null, lease_until: null, last_text: null, last_text_at: null },
}

export async function ensureHeartbeat(queries: Queries): Promise<HeartbeatRow> {
  await queries
    .insertInto('hooks_heartbeat')
    .values(empty)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return findHeartbeat(queries)
}

export async function findHeartbeat(queries: Queries): Promise<HeartbeatRow> {
  const row = await queries.selectFrom('hooks_heartbeat').selectAll().where('id', '=', onlyId).executeTakeFirst()
  return row ?? empty
}

export const changeHeartbeat = (queries: Queries, change: Partial<HeartbeatRow>) =>
  queries.updateTable('hooks_heartbeat').set(change).where('id', '=', onlyId).execute()

/** Undefined: somebody else is at it. */
export const takeLease = (queries: Queries, token: string, now: number, until: number) =>
  queries
    .updateTable('hooks_heartbeat')
    .set({ lease_token: token, lease_until: until })
    .where('id', '=', onlyId)
    .where((eb) => eb.or([eb('lease_token', 'is', null), eb('lease_until', '<=', now)]))
    .returningAll()
    .executeTakeFirst()

/** False: the lease was lost. The change is made only with it. */
export async function changeWithLease(queries: Queries, token: string, change: Partial<HeartbeatRow>) {
  const changed = await queries
    .updateTable('hooks_heartbeat')
    .set(change)
    .where('id', '=', onlyId)
    .where('lease_token', '=', token)
    .returning('id')
    .execute()
  return changed.length > 0
}
