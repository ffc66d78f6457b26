// Lanes: one for each session that has something to do. A node leases a lane, runs its first delivery, and gives the
// lane back; so a session's deliveries run one after the other, in the order of their arrival.
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import type { DeliveryRow } from './row.ts'

export interface LaneOrder {
  limit: number
  now: number
  leaseUntil: number
  token: string
}

const dueLanes = (queries: Queries, { now, limit }: LaneOrder) =>
  queries
    .selectFrom('hooks_lanes')
    .select('hooks_lanes.lane')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('lane')
    .limit(limit)

/** Lanes that are due, and lanes of nodes that did not renew. The only statement with two spellings. */
export async function leaseLanes(db: Database, order: LaneOrder): Promise<string[]> {
  const rows = await (db.kind === 'sqlite' ? leaseOnSqlite : leaseOnPostgres)(db.queries, order)
  return rows.map(({ lane }) => lane)
}

const leased = ({ leaseUntil, token }: LaneOrder) => ({ due_at: leaseUntil, lease_token: token })

const leaseOnSqlite = (queries: Queries, order: LaneOrder) =>
  queries
    .updateTable('hooks_lanes')
    .set(leased(order))
    .where('lane', 'in', dueLanes(queries, order))
    .returning('lane')
    .execute()

/** Lanes that another node is taking are skipped, not waited for. */
const leaseOnPostgres = (queries: Queries, order: LaneOrder) =>
  queries
    .with('due', () => dueLanes(queries, order).forUpdate().skipLocked())
    .updateTable('hooks_lanes')
    .from('due')
    .set(leased(order))
    .whereRef('hooks_lanes.lane', '=', 'due.lane')
    .returning('hooks_lanes.lane')
    .execute()

/** The rest is done only by whoever holds the lease; false when it is lost. */
const held = (queries: Queries, lane: string, token: string) =>
  queries.updateTable('hooks_lanes').where('lane', '=', lane).where('lease_token', '=', token).returning('lane')

export async function renewLane(queries: Queries, lane: string, token: string, until: number): Promise<boolean> {
  return (await held(queries, lane, token).set({ due_at: until }).execute()).length > 0
}

export async function releaseLane(tx: Tx, lane: string, token: string, dueAt: number): Promise<boolean> {
  return (await held(tx, lane, token).set({ due_at: dueAt, lease_token: null }).execute()).length > 0
}

/** Until the mapping is resumed. */
export async function parkLane(tx: Tx, lane: string, token: string, mapping: string): Promise<void> {
  await held(tx, lane, token).set({ due_at: null, lease_token: null, parked_by: mapping }).execute()
}

export const unparkLanes = (tx: Tx, mapping: string, now: number) =>
  tx.updateTable('hooks_lanes').set({ due_at: now, parked_by: null }).where('parked_by', '=', mapping).execute()

/** After its first delivery ended: due at once if there is another, gone if not. */
export async function leaveLane(tx: Tx, lane: string, token: string, now: number): Promise<boolean> {
  if ((await firstOf(tx, lane)) !== undefined) return releaseLane(tx, lane, token, now)
  const gone = await tx
    .deleteFrom('hooks_lanes')
    .where('lane', '=', lane)
    .where('lease_token', '=', token)
    .returning('lane')
    .execute()
  return gone.length > 0
}

export const firstOf = (queries: Queries, lane: string): Promise<DeliveryRow | undefined> =>
  queries.selectFrom('hooks_deliveries').selectAll().where('lane', '=', lane).orderBy('id').limit(1).executeTakeFirst()

/** Undefined: nothing will be due by itself. */
export async function soonestDue(queries: Queries): Promise<number | undefined> {
  const row = await queries
    .selectFrom('hooks_lanes')
    .select('due_at')
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  return row?.due_at ?? undefined
}

/** For whoever knows that all nodes that held any are gone. */
export const endAllLeases = (queries: Queries, now: number) =>
  queries
    .updateTable('hooks_lanes')
    .set({ due_at: now, lease_token: null })
    .where('lease_token', 'is not', null)
    .execute()
