// SQLite has one process and one writer: what to take is read beside the writer, which is left alone when there is nothing.
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import {
  type ClaimOrder,
  claimedColumns,
  claimMark,
  fairest,
  firstOfTenant,
  shareOf,
  tenantsInTurn,
} from './claim-order.ts'

export async function claimOnSqlite(queries: Queries, order: ClaimOrder) {
  const ids = await pick(queries, order)
  if (ids.length === 0) return []
  return queries
    .updateTable('jobs')
    .set(claimMark(order))
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', 'in', ids)
    .where('ready_at', 'is not', null)
    .returning(claimedColumns)
    .execute()
}

/** Begins with `select`, as reads do. */
async function pick(queries: Queries, order: ClaimOrder): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      with recursive ${tenantsInTurn(order)}
      select job.id, tenants.turn, ${shareOf(order)} as share
      from tenants join jobs as job on job.id in (select id from (${firstOfTenant(order)})))
    ${fairest(order)}`.execute(queries)
  return rows.map(({ id }) => id)
}
